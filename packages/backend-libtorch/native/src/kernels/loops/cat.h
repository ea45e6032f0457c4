// Puts rows of several tensors together. Results are written one number after the other, so that each cache line of
// them is written once.
#pragma once

#include "../cat.h"
#include "../simd/vector.h"

namespace pt2::PT2_ISA {

/// From here on `memcpy` is worth its call.
inline constexpr int64_t kLongRun = 1024;

inline void copy_run(const float* from, int64_t count, float* to) {
  if (count >= kLongRun) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(float));
  } else {
    copy_vectors(from, count, to);
  }
}

/// Numbers [begin, end) of the result, which begin and end anywhere in a row.
inline void concatenate(const Concatenation& c, int64_t begin, int64_t end) {
  int64_t row = begin / c.width, column = begin % c.width;
  int64_t at = 0;
  for (; column >= c.parts[at].width; ++at) column -= c.parts[at].width;
  while (begin < end) {
    const Concatenation::Part& part = c.parts[at];
    const int64_t rest = part.width - column, count = rest < end - begin ? rest : end - begin;
    copy_run(part.from + row * part.pitch + column, count, c.out + begin);
    begin += count;
    column = 0;
    if (++at < c.count) continue;
    at = 0;
    ++row;
  }
}

}  // namespace pt2::PT2_ISA
