// What position-sensitive pooling shares: each bin has channels of its own.
#pragma once

#include "regions.h"

namespace pt2 {

// The sizes of a call: `out` channels of a result, from `out` · `down` · `across` of the features.
struct OwnChannels {
  int64_t out, down, across;
  int64_t bins() const { return down * across; }
  // The channel of the features that a bin reads for a channel of the result.
  int64_t channelOf(int64_t c, int64_t bin) const { return c * bins() + bin; }
};

inline OwnChannels ownChannels(const char* op, int64_t channels, int64_t down, int64_t across) {
  STD_TORCH_CHECK(down > 0 && across > 0, op, ": the pooled size must be positive");
  STD_TORCH_CHECK(channels / down / across * down * across == channels, op,
                  ": input channels must be a multiple of pooling height * pooling width");
  return {channels / (down * across), down, across};
}

// The second result: the channel of the features for each element of the first.
inline Tensor channelMapping(const Tensor& like, int64_t regions, const OwnChannels& own) {
  const Tensor mapping = empty(like, {regions, own.out, own.down, own.across}, ScalarType::Int);
  int32_t* to = mutableElements<int32_t>(mapping);
  const int64_t count = own.out * own.bins();
  for (int64_t i = 0; i < regions; i++) {
    for (int64_t c = 0; c < count; c++) *to++ = static_cast<int32_t>(c);
  }
  return mapping;
}

inline void requireMappingSizes(const char* op, const Tensor& mapping, const Tensor& grad) {
  requireSizes(op, mapping, {grad.size(0), grad.size(1), grad.size(2), grad.size(3)});
  STD_TORCH_CHECK(mapping.scalar_type() == ScalarType::Int, op, ": channel_mapping must be int32");
}

// Checks the mapping that a gradient was given, and returns it dense.
inline Tensor requireMapping(const char* op, const Tensor& mapping, const Tensor& grad, const Sizes& sizes) {
  requireMappingSizes(op, mapping, grad);
  const Tensor dense = torch::stable::contiguous(mapping);
  const int32_t* channel = elements<int32_t>(dense);
  for (int64_t i = 0; i < mapping.numel(); i++) {
    STD_TORCH_CHECK(channel[i] >= 0 && channel[i] < sizes.channels, op, ": there is no channel ", channel[i]);
  }
  return dense;
}

}  // namespace pt2
