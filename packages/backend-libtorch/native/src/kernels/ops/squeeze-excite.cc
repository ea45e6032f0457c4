// Computes the squeeze-and-excitation block as one op.
#include <ATen/ops/empty.h>

#include <vector>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "squeeze_excite";

/// A thread reads or writes at least this many floats.
constexpr int64_t kFloatsPerThread = int64_t{32} * 1024;

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
  std::vector<float> memory(static_cast<size_t>(2 * s.batch * s.channels + s.squeezed));
  float* means = memory.data();
  float* gates = means + s.batch * s.channels;
  float* hidden = gates + s.batch * s.channels;

  // Threads compute whole vectors of channels, so that the sums do not depend on the number of threads.
  const int64_t blocks = (s.channels + k.lanes - 1) / k.lanes;
  const int64_t grain = std::max<int64_t>(1, kFloatsPerThread / (k.lanes * s.pixels));
  shareRanges(s.batch * blocks, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t n = begin / blocks, last = std::min(end, (n + 1) * blocks);
      k.channel_means(s.x + n * s.pixels * s.channels, s.pixels, s.channels, begin % blocks * k.lanes,
                      std::min(s.channels, (last - n * blocks) * k.lanes), means + n * s.channels);
      begin = last;
    }
  });
  for (int64_t n = 0; n < s.batch; ++n) k.gates(s, means + n * s.channels, hidden, gates + n * s.channels);
  shareRanges(s.batch * s.pixels, std::max<int64_t>(1, kFloatsPerThread / s.channels),
              [&](int64_t begin, int64_t end) { k.scale_pixels(s, gates, begin, end); });
  return out;
}

}  // namespace pt2
