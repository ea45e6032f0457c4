// Puts three vectors of numbers together, one number of each after the other.
#pragma once

#include <utility>

#include "vector.h"

namespace pt2::PT2_ISA {

/// The vector at `PLACE` of the three that `a0 b0 c0 a1 b1 c1 ...` makes.
template <int PLACE, int... I>
inline Vec interleaved(Vec a, Vec b, Vec c, std::integer_sequence<int, I...>) {
  constexpr int kN = static_cast<int>(kLanes), kFirst = PLACE * kN;
  const Vec ab = shuffle<((kFirst + I) % 3 == 1 ? kN : 0) + (kFirst + I) / 3 ...>(a, b);
  return shuffle<((kFirst + I) % 3 == 2 ? kN + (kFirst + I) / 3 : I)...>(ab, c);
}

/// Stores kLanes numbers of each.
inline void store_interleaved(float* to, Vec a, Vec b, Vec c) {
  constexpr auto kAll = std::make_integer_sequence<int, static_cast<int>(kLanes)>{};
  store(to, interleaved<0>(a, b, c, kAll));
  store(to + kLanes, interleaved<1>(a, b, c, kAll));
  store(to + 2 * kLanes, interleaved<2>(a, b, c, kAll));
}

}  // namespace pt2::PT2_ISA
