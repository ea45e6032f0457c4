// Transposes matrices, square by square in registers.
#pragma once

#include "../simd/transpose.h"
#include "../transposition.h"

namespace pt2::PT2_ISA {

/// Bands [begin, end) of the rows of all matrices.
inline void transpose_bands(const Transposition& t, int64_t begin, int64_t end) {
  const int64_t bands = t.bands();
  for (int64_t band = begin; band < end; ++band) {
    const int64_t matrix = band / bands, first = band % bands * Transposition::kRows;
    const int64_t last = first + Transposition::kRows < t.rows ? first + Transposition::kRows : t.rows;
    const float* from = t.from + matrix * t.batch;
    float* to = t.to + matrix * t.rows * t.columns;
    for (int64_t c = 0; c < t.columns; c += kLanes) {
      for (int64_t r = first; r < last; r += kLanes) {
        Vec square[kLanes];
#pragma GCC unroll 16
        for (int64_t i = 0; i < kLanes; ++i)
          square[i] = r + i < last ? load_up_to(from + (r + i) * t.pitch + c, t.columns - c) : Vec{};
        transpose(square);
#pragma GCC unroll 16
        for (int64_t i = 0; i < kLanes; ++i) {
          if (c + i < t.columns) store_up_to(to + (c + i) * t.rows + r, square[i], last - r);
        }
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
