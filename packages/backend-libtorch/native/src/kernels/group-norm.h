// Group normalization of images as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// Numbers that are kept of each channel of a block of pixels: its mean, then the sum and the sum of squares of the
/// differences from that.
inline constexpr int64_t kMomentsOfBlock = 3;

/// Numbers that the pixels of a channel are normalized by: out = (x - center) * scale + shift.
inline constexpr int64_t kNormFactors = 3;

/// Each image is cut into blocks of `block` pixels, the last of which may have fewer. They do not depend on threads, so
/// neither do the sums.
struct GroupNorm {
  const float* x;       // batch, pixels, channels; pixels `pitch` floats apart
  const float* weight;  // channels, or null
  const float* bias;    // channels, or null
  float* moments;       // batch, blocks, kMomentsOfBlock, channels
  float* factors;       // batch, kNormFactors, channels
  float* out;           // batch, pixels, channels
  int64_t pixels, channels, groups, pitch, block, blocks;
  double epsilon;
};

}  // namespace pt2
