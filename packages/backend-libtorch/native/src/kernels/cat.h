// Tensors put together along one dimension, as the loops see them: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

struct Concatenation {
  struct Part {
    const float* from;  // rows, width; rows `pitch` floats apart
    int64_t width;      // floats, not zero
    int64_t pitch;
  };
  const Part* parts;
  int64_t count;
  float* out;     // rows, width
  int64_t width;  // of all parts together
};

}  // namespace pt2
