// A matrix that is packed into panels, as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// A thread packs at least this many floats.
inline constexpr int64_t kPackedPerThread = int64_t{64} * 1024;

/// What `Gemm` reads as `packed`: to[p][k][c] = from[p * panel + c, k], zero past `columns`.
struct Panels {
  const float* from;
  int64_t columns, inner;
  int64_t column_stride, inner_stride;  // in floats
  float* to;                            // [count][inner][panel]
  int64_t panel;

  int64_t count() const { return (columns + panel - 1) / panel; }
};

/// Filters [columns, inner, 3, 3], contiguous, as `Winograd` reads them: to[point][count][inner][panel].
struct WinogradPanels {
  const float* from;
  int64_t columns, inner;
  float* to;
  int64_t panel;

  int64_t count() const { return (columns + panel - 1) / panel; }
};

}  // namespace pt2
