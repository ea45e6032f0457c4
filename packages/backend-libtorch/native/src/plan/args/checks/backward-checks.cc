#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// (grad_in, input_sizes, dim, size, step)
void unfoldBackward(const CallArguments& call) {
  const at::Tensor grad = call.tensor(0);
  const at::Tensor given = call.integers(1);
  if (!grad.defined() || !given.defined()) return;
  const int64_t dims = given.numel();
  const int64_t size = call.integer(3, 0), step = call.integer(4, 0);
  const int64_t dim = call.integer(2, 0) < 0 ? call.integer(2, 0) + dims : call.integer(2, 0);
  require(dim >= 0 && dim < dims, call, "dim", "is no dimension of `input_sizes`");
  require(step > 0, call, "step", "must be positive");
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < dims; ++i) sizes.push_back(given[i].item<int64_t>());
  int64_t& along = sizes[static_cast<size_t>(dim)];
  require(size >= 0 && size <= along, call, "size", "is larger than the dimension");
  along = (along - size) / step + 1;
  sizes.push_back(size);
  requireSizes(call, "grad_in", grad, sizes);
}

// (grad_output, self, padding): of the last dimensions, from the last one back, two numbers each.
template <int64_t Dims>
void padBackward(const CallArguments& call) {
  const at::Tensor self = call.tensor(1);
  const at::Tensor padding = call.integers(2);
  if (!self.defined() || !padding.defined()) return;
  require(padding.numel() == 2 * Dims, call, "padding", "must have two numbers for each dimension");
  require(self.dim() == Dims + 1 || self.dim() == Dims + 2, call, "self", "has a wrong number of dimensions");
  std::vector<int64_t> sizes = self.sizes().vec();
  for (int64_t i = 0; i < Dims; ++i) {
    int64_t& size = sizes[sizes.size() - 1 - static_cast<size_t>(i)];
    const int64_t before = padding[2 * i].item<int64_t>(), after = padding[2 * i + 1].item<int64_t>();
    const bool reflects = call.op.find("reflection") != std::string::npos;
    const int64_t most = reflects ? size - 1 : INT32_MAX;
    require(before <= most && after <= most && size + before + after > 0, call, "padding", "does not fit `self`");
    size += before + after;
  }
  requireSizes(call, "grad_output", call.tensor(0), sizes);
}

template <int64_t Dims>
void poolBackward(const CallArguments& call) {
  requirePlanes(call, Dims);
}

// (grad_output, output, dim, input_dtype, …)
void softmaxBackward(const CallArguments& call) {
  const at::Tensor output = call.tensor(1);
  if (!output.defined()) return;
  requireSizes(call, "grad_output", call.tensor(0), output.sizes());
  const at::Tensor out = call.tensor(4);
  if (out.defined()) requireSizes(call, "grad_input", out, output.sizes());
}

// (grad_output, input, grid, …)
void gridFallbackBackward(const CallArguments& call) {
  const at::Tensor input = call.tensor(1);
  const at::Tensor grid = call.tensor(2);
  if (!input.defined() || !grid.defined()) return;
  requireDims(call, "input", input, 4);
  requireDims(call, "grid", grid, 4);
  requireSizes(call, "grid", grid, {input.size(0), grid.size(1), grid.size(2), 2});
  requireSizes(call, "grad_output", call.tensor(0), {input.size(0), input.size(1), grid.size(1), grid.size(2)});
}

// (grad_output, self, target, p, margin, weight, reduction, …)
void marginBackward(const CallArguments& call) {
  constexpr int64_t kNone = 0;
  const at::Tensor self = call.tensor(1);
  if (!self.defined()) return;
  require(self.numel() > 0 && self.dim() <= 2, call, "self", "must be a matrix or a vector, with elements");
  const int64_t rows = self.dim() == 2 ? self.size(0) : 1;
  requireCount(call, "target", call.tensor(2), rows);
  requireCount(call, "grad_output", call.tensor(0), call.integer(6, 1) == kNone ? rows : 1);
}

// (self, noise, lower, upper, training, generator, out)
void noise(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  if (!self.defined()) return;
  requireSizes(call, "noise", call.tensor(1), self.sizes());
  requireSizes(call, "out", call.tensor(6), self.sizes());
}

}  // namespace

const CheckTable& backwardChecks() {
  static const CheckTable table = {
      {"aten::unfold_backward", unfoldBackward},
      {"aten::reflection_pad1d_backward", padBackward<1>},
      {"aten::reflection_pad2d_backward", padBackward<2>},
      {"aten::reflection_pad3d_backward", padBackward<3>},
      {"aten::replication_pad1d_backward", padBackward<1>},
      {"aten::replication_pad2d_backward", padBackward<2>},
      {"aten::replication_pad3d_backward", padBackward<3>},
      {"aten::avg_pool2d_backward", poolBackward<2>},
      {"aten::avg_pool3d_backward", poolBackward<3>},
      {"aten::_adaptive_avg_pool2d_backward", poolBackward<2>},
      {"aten::_adaptive_avg_pool3d_backward", poolBackward<3>},
      {"aten::adaptive_avg_pool3d_backward", poolBackward<3>},
      {"aten::fractional_max_pool2d_backward", poolBackward<2>},
      {"aten::fractional_max_pool3d_backward", poolBackward<3>},
      {"aten::_softmax_backward_data", softmaxBackward},
      {"aten::_log_softmax_backward_data", softmaxBackward},
      {"aten::_grid_sampler_2d_cpu_fallback_backward", gridFallbackBackward},
      {"aten::multi_margin_loss_backward", marginBackward},
      {"aten::rrelu_with_noise", noise},
      {"aten::rrelu_with_noise_", noise},
  };
  return table;
}

}  // namespace pt2
