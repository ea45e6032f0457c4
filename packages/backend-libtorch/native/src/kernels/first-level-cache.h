// What fits side by side into the first-level cache.
#pragma once

#include <cstdint>

namespace pt2 {

/// Whether that many rows, `stride` floats apart, push each other out of the first-level cache where they are read side
/// by side: those that are a multiple of a page apart share one set of it.
bool crowd(int64_t rows, int64_t stride);

}  // namespace pt2
