// Checks the arguments of gradients: their shapes must be those that the forward op gives.
#include <algorithm>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

void unfoldBackward(const Arg& gradIn, const Arg& inputSizes, const Arg& dim, const Arg& size, const Arg& step) {
  const at::Tensor given = inputSizes.integers();
  if (!gradIn.hasTensor() || !given.defined()) return;
  const int64_t dims = given.numel();
  const int64_t window = size.integer(0), stride = step.integer(0);
  // A tensor without dimensions has one of a single element here.
  const int64_t rank = std::max<int64_t>(dims, 1);
  const int64_t at = dim.integer(0) < 0 ? dim.integer(0) + rank : dim.integer(0);
  dim.require(at >= 0 && at < rank, "is no dimension of `input_sizes`");
  step.require(stride > 0, "must be positive");
  std::vector<int64_t> sizes;
  sizes.reserve(static_cast<size_t>(dims) + 1);
  for (int64_t i = 0; i < dims; ++i) sizes.push_back(given[i].item<int64_t>());
  if (dims == 0) sizes.push_back(1);
  int64_t& along = sizes[static_cast<size_t>(at)];
  size.require(window >= 0 && window <= along, "is larger than the dimension");
  along = (along - window) / stride + 1;
  if (dims == 0) sizes.clear();
  sizes.push_back(window);
  requireSizes(gradIn, sizes);
}

enum class Padding : uint8_t { Reflection, Replication };

// The padding has two numbers for each of the last dimensions, beginning with the last one.
template <Padding Kind, int64_t Dims>
void padBackward(const Arg& gradOutput, const Arg& self, const Arg& padding) {
  const at::Tensor image = self.tensor();
  const at::Tensor given = padding.integers();
  if (!image.defined() || !given.defined()) return;
  padding.require(given.numel() == 2 * Dims, "must have two numbers for each dimension");
  self.require(image.dim() == Dims + 1 || image.dim() == Dims + 2, "has a wrong number of dimensions");
  std::vector<int64_t> sizes = image.sizes().vec();
  for (int64_t i = 0; i < Dims; ++i) {
    int64_t& size = sizes[sizes.size() - 1 - static_cast<size_t>(i)];
    const int64_t before = given[2 * i].item<int64_t>(), after = given[2 * i + 1].item<int64_t>();
    const int64_t most = Kind == Padding::Reflection ? size - 1 : INT32_MAX;
    padding.require(before <= most && after <= most && size + before + after > 0, "does not fit `self`");
    size += before + after;
  }
  requireSizes(gradOutput, sizes);
}

template <int64_t Dims>
void poolBackward(const Arg& gradOutput, const Arg& self) {
  requirePlanes(gradOutput, self, Dims);
}

// Requires that the first argument has the shape of the second.
void sameSizes(const Arg& tensor, const Arg& other) {
  if (other.hasTensor()) requireSizes(tensor, other.tensor().sizes());
}

void gridFallbackBackward(const Arg& gradOutput, const Arg& input, const Arg& grid) {
  const at::Tensor image = input.tensor();
  const at::Tensor places = grid.tensor();
  if (!image.defined() || !places.defined()) return;
  requireDims(input, 4);
  requireDims(grid, 4);
  requireSizes(grid, {image.size(0), places.size(1), places.size(2), 2});
  requireSizes(gradOutput, {image.size(0), image.size(1), places.size(1), places.size(2)});
}

void marginBackward(const Arg& gradOutput, const Arg& self, const Arg& target, const Arg& reduction) {
  constexpr int64_t kNone = 0;
  const at::Tensor scores = self.tensor();
  if (!scores.defined()) return;
  self.require(scores.numel() > 0 && scores.dim() <= 2, "must be a matrix or a vector, with elements");
  const int64_t rows = scores.dim() == 2 ? scores.size(0) : 1;
  requireCount(target, rows);
  requireCount(gradOutput, reduction.integer(1) == kNone ? rows : 1);
}

template <Padding Kind, int64_t Dims>
NamedCheck padChecks() {
  return reads<padBackward<Kind, Dims>>("grad_output", "self", "padding");
}

template <int64_t Dims>
NamedCheck poolChecks() {
  return reads<poolBackward<Dims>>("grad_output", "self");
}

}  // namespace

const CheckTable& backwardChecks() {
  constexpr Padding kReflection = Padding::Reflection;
  constexpr Padding kReplication = Padding::Replication;
  static const CheckTable table = {
      {{"aten::unfold_backward", "aten::unfold_backward.out"},
       {reads<unfoldBackward>("grad_in", "input_sizes", "dim", "size", "step")}},
      {{"aten::reflection_pad1d_backward", "aten::reflection_pad1d_backward.grad_input"},
       {padChecks<kReflection, 1>()}},
      {{"aten::reflection_pad2d_backward", "aten::reflection_pad2d_backward.grad_input"},
       {padChecks<kReflection, 2>()}},
      {{"aten::reflection_pad3d_backward", "aten::reflection_pad3d_backward.grad_input"},
       {padChecks<kReflection, 3>()}},
      {{"aten::replication_pad1d_backward", "aten::replication_pad1d_backward.grad_input"},
       {padChecks<kReplication, 1>()}},
      {{"aten::replication_pad2d_backward", "aten::replication_pad2d_backward.grad_input"},
       {padChecks<kReplication, 2>()}},
      {{"aten::replication_pad3d_backward", "aten::replication_pad3d_backward.grad_input"},
       {padChecks<kReplication, 3>()}},
      {{"aten::avg_pool2d_backward", "aten::avg_pool2d_backward.grad_input", "aten::_adaptive_avg_pool2d_backward",
        "aten::_adaptive_avg_pool2d_backward.out", "aten::fractional_max_pool2d_backward",
        "aten::fractional_max_pool2d_backward.grad_input"},
       {poolChecks<2>()}},
      {{"aten::avg_pool3d_backward", "aten::avg_pool3d_backward.grad_input", "aten::_adaptive_avg_pool3d_backward",
        "aten::_adaptive_avg_pool3d_backward.out", "aten::adaptive_avg_pool3d_backward.grad_input",
        "aten::fractional_max_pool3d_backward", "aten::fractional_max_pool3d_backward.grad_input"},
       {poolChecks<3>()}},
      {{"aten::_softmax_backward_data", "aten::_log_softmax_backward_data"},
       {reads<sameSizes>("grad_output", "output")}},
      {{"aten::_softmax_backward_data.out"},
       {reads<sameSizes>("grad_output", "output"), reads<sameSizes>("grad_input", "output")}},
      {{"aten::_log_softmax_backward_data.out"},
       {reads<sameSizes>("grad_output", "output"), reads<sameSizes>("out", "output")}},
      {{"aten::_grid_sampler_2d_cpu_fallback_backward"}, {reads<gridFallbackBackward>("grad_output", "input", "grid")}},
      {{"aten::multi_margin_loss_backward", "aten::multi_margin_loss_backward.grad_input"},
       {reads<marginBackward>("grad_output", "self", "target", "reduction")}},
      {{"aten::rrelu_with_noise", "aten::rrelu_with_noise_", "aten::rrelu_with_noise_functional"},
       {reads<sameSizes>("noise", "self")}},
      {{"aten::rrelu_with_noise.out"}, {reads<sameSizes>("noise", "self"), reads<sameSizes>("out", "self")}},
  };
  return table;
}

}  // namespace pt2
