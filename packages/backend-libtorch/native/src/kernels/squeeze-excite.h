// Squeeze-and-excite as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

#include "activation.h"

namespace pt2 {

/// out = x * gate(expand^T act(reduce mean(x) + reduce_bias) + expand_bias), the mean over the pixels of each channel.
struct SqueezeExcite {
  const float* x;            // batch, pixels, channels
  const float* reduce;       // squeezed, channels
  const float* reduce_bias;  // squeezed, or null
  const float* expand;       // squeezed, channels: transposed, so that both matrices are read along channels
  const float* expand_bias;  // channels, or null
  float* out;                // batch, pixels, channels
  int64_t batch, pixels, channels, squeezed;
  Activation activation, gate;
};

}  // namespace pt2
