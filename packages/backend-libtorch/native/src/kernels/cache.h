// What the caches of this processor hold.
#pragma once

#include <cstdint>

namespace pt2 {

/// Floats of a cache line.
inline constexpr int64_t kLineFloats = 16;

/// Whether that many rows, `stride` floats apart, push each other out of the first-level cache where they are read side
/// by side: those that are a multiple of a page apart share one set of it.
bool crowd(int64_t rows, int64_t stride);

/// Floats that stay in the second-level cache while others pass through it.
int64_t floats_kept();

}  // namespace pt2
