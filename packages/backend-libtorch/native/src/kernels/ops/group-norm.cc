// Normalizes groups of channels of images whose channels come last.
#include <ATen/ops/empty.h>

#include <algorithm>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "ops.h"
#include "share-images.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "group_norm";

/// A block has about this many floats, which fit the first-level cache, but not so few pixels that its moments would be
/// a large part of them, and not so many that float32 sums of them would lose digits.
constexpr int64_t kFloatsOfBlock = int64_t{8} * 1024, kLeastPixels = 16, kMostPixels = 256;

/// A thread gets at least this many moments.
constexpr int64_t kMomentsPerThread = int64_t{4} * 1024;

}  // namespace

at::Tensor group_norm(const at::Tensor& given, int64_t groups, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  const at::Tensor x = as_flat_image(given, kOp);
  const int64_t channels = x.size(1), pixels = x.size(2) * x.size(3), batch = x.size(0);
  TORCH_CHECK(groups > 0 && channels % groups == 0, "pt2::", kOp, ": groups must divide the channels, got ", groups,
              " for ", channels);
  const at::Tensor factor = optional_vector(weight, channels, kOp, "weight");
  const at::Tensor offset = optional_vector(bias, channels, kOp, "bias");
  const at::Tensor out = at::empty(x.sizes(), x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor result = like_given(out, given);
  if (out.numel() == 0) return result;

  const Pixels input = pixels_of(x);
  const int64_t block = std::clamp(kFloatsOfBlock / channels, kLeastPixels, kMostPixels);
  const int64_t blocks = (pixels + block - 1) / block;
  const at::Tensor moments = at::empty({batch, blocks, kMomentsOfBlock, channels}, x.options());
  const at::Tensor factors = at::empty({batch, kNormFactors, channels}, x.options());
  const GroupNorm t{
      .x = input.data(),
      .weight = data_or_null(factor),
      .bias = data_or_null(offset),
      .moments = moments.mutable_data_ptr<float>(),
      .factors = factors.mutable_data_ptr<float>(),
      .out = out.mutable_data_ptr<float>(),
      .pixels = pixels,
      .channels = channels,
      .groups = groups,
      .pitch = input.pitch,
      .block = block,
      .blocks = blocks,
      .epsilon = eps,
  };
  const Kernels& k = kernels();
  const int64_t pixels_per_thread = kFloatsPerThread / channels;
  share_images(batch, pixels, block, pixels_per_thread,
               [&](int64_t n, int64_t begin, int64_t end) { k.group_norm_moments(t, n, begin, end); });
  share_images(batch, groups, 1, kMomentsPerThread * groups / (blocks * channels),
               [&](int64_t n, int64_t begin, int64_t end) { k.group_norm_factors(t, n, begin, end); });
  share_images(batch, pixels, 1, pixels_per_thread,
               [&](int64_t n, int64_t begin, int64_t end) { k.group_norm_pixels(t, n, begin, end); });
  return result;
}

}  // namespace pt2
