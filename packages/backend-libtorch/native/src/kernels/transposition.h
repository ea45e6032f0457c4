// Copies of matrices whose columns come first, as the loops see them: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// to[b, c, r] = from[b * batch + r * pitch + c], in floats.
struct Transposition {
  const float* from;
  float* to;
  int64_t batch, pitch;
  int64_t matrices, rows, columns;

  /// Rows that a thread takes at once.
  static constexpr int64_t kRows = 64;

  int64_t bands() const { return (rows + kRows - 1) / kRows; }
};

}  // namespace pt2
