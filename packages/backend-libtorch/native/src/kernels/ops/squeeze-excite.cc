// Computes the squeeze-and-excitation block as one op.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "squeeze_excite";

/// A thread reads at least this many floats of weights. They are far away: each run reads them once.
constexpr int64_t kWeightsPerThread = int64_t{32} * 1024;

}  // namespace

at::Tensor squeeze_excite(const at::Tensor& x, const at::Tensor& reduce, const std::optional<at::Tensor>& reduce_bias,
                          const at::Tensor& expand, const std::optional<at::Tensor>& expand_bias, std::string attr,
                          std::string gate) {
  check_float(x, kOp, "x");
  check_float(reduce, kOp, "reduce");
  check_float(expand, kOp, "expand");
  TORCH_CHECK(x.dim() == 4, "pt2::", kOp, ": x must have four dimensions, got ", x.sizes());
  TORCH_CHECK(reduce.dim() == 2 && reduce.size(1) == x.size(1) && expand.sizes() == reduce.sizes(), "pt2::", kOp,
              ": both weights must have shape [squeezed, ", x.size(1), "], got ", reduce.sizes(), " and ",
              expand.sizes());
  const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor reduce_weight = reduce.contiguous(), expand_weight = expand.contiguous();
  const at::Tensor reduce_offset = optional_vector(reduce_bias, reduce.size(0), kOp, "reduce_bias");
  const at::Tensor expand_offset = optional_vector(expand_bias, x.size(1), kOp, "expand_bias");
  const at::Tensor out = at::empty(x.sizes(), x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const SqueezeExcite s{
      .x = input.const_data_ptr<float>(),
      .reduce = reduce_weight.const_data_ptr<float>(),
      .reduce_bias = data_or_null(reduce_offset),
      .expand = expand_weight.const_data_ptr<float>(),
      .expand_bias = data_or_null(expand_offset),
      .out = out.mutable_data_ptr<float>(),
      .batch = x.size(0),
      .pixels = x.size(2) * x.size(3),
      .channels = x.size(1),
      .squeezed = reduce.size(0),
      .activation = parse_activation(attr),
      .gate = parse_activation(gate),
  };
  if (out.numel() == 0) return out;

  const Kernels& k = kernels();
  std::vector<float> memory(static_cast<size_t>(s.batch * (2 * s.channels + s.squeezed)));
  float* means = memory.data();
  float* gates = means + s.batch * s.channels;
  float* hidden = gates + s.batch * s.channels;

  share_channel_means(s.x, s.batch, s.pixels, s.channels, s.channels, means);
  share_images(s.batch, s.squeezed, k.squeezed_rows, kWeightsPerThread / s.channels,
               [&](int64_t n, int64_t begin, int64_t end) {
                 k.squeeze(s, means + n * s.channels, begin, end, hidden + n * s.squeezed);
               });
  share_images(s.batch, s.channels, k.lanes, kWeightsPerThread / std::max<int64_t>(1, s.squeezed),
               [&](int64_t n, int64_t begin, int64_t end) {
                 k.excite(s, hidden + n * s.squeezed, begin, end, gates + n * s.channels);
               });
  shareRanges(s.batch * s.pixels, std::max<int64_t>(1, kFloatsPerThread / s.channels),
              [&](int64_t begin, int64_t end) { k.scale_pixels(s, gates, begin, end); });
  return out;
}

}  // namespace pt2
