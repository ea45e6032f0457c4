// Transposes a square of vectors in registers.
#pragma once

#include <utility>

#include "vector.h"

namespace pt2::PT2_ISA {

/// Exchanges blocks of `W` lanes between two vectors: the off-diagonal halves of a 2 x 2 of blocks.
template <int W, int... I>
inline void exchange(Vec& a, Vec& b, std::integer_sequence<int, I...>) {
  constexpr int kN = static_cast<int>(kLanes);
  const Vec upper = shuffle<((I & W) == 0 ? I : kN + (I ^ W))...>(a, b);
  b = shuffle<((I & W) == 0 ? (I | W) : kN + I)...>(a, b);
  a = upper;
}

template <int W>
inline void exchange_all(Vec (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if ((i & W) == 0) exchange<W>(rows[i], rows[i | W], std::make_integer_sequence<int, static_cast<int>(kLanes)>{});
  }
}

/// Recursive halving: log2(kLanes) rounds of exchanges.
inline void transpose(Vec (&rows)[kLanes]) {
  exchange_all<1>(rows);
  exchange_all<2>(rows);
#if PT2_VECTOR_BYTES >= 32
  exchange_all<4>(rows);
#endif
#if PT2_VECTOR_BYTES >= 64
  exchange_all<8>(rows);
#endif
}

}  // namespace pt2::PT2_ISA
