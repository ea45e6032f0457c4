// Compares tensors with what a kernel assumes about them.
#include "plan/args/checks/require.h"

#include <ATen/ops/aminmax.h>

#include <sstream>

#include "failure.h"

namespace pt2 {

void requirePlain(Args arguments) {
  for (const Arg& argument : arguments) {
    const bool given = argument.value().isTensor() && argument.value().toTensor().defined();
    if (!given || argument.hasTensor()) continue;
    // Kernels of a GPU check what they are given themselves.
    if (!argument.value().toTensor().is_cpu()) return;
    throw Failure("libtorch.argument", "`" + argument.op() + "` takes strided tensors.");
  }
}

void requireRange(const Arg& argument, const at::Tensor& elements, int64_t from, int64_t to) {
  if (!elements.defined() || elements.numel() == 0) return;
  if (!c10::isIntegralType(elements.scalar_type(), /*includeBool=*/false)) return;
  const auto [least, most] = at::aminmax(elements);
  for (const int64_t value : {least.item<int64_t>(), most.item<int64_t>()}) {
    if (value >= from && value < to) continue;
    argument.refuse("has the element " + std::to_string(value) + ", which is not in [" + std::to_string(from) + ", " +
                    std::to_string(to) + ")");
  }
}

void requireOffsets(const Arg& argument, const at::Tensor& offsets, int64_t last) {
  if (!offsets.defined() || offsets.dim() == 0 || offsets.numel() == 0) return;
  requireRange(argument, offsets, 0, last + 1);
  const int64_t count = offsets.size(-1);
  if (count < 2 || offsets.narrow(-1, 1, count - 1).ge(offsets.narrow(-1, 0, count - 1)).all().item<bool>()) return;
  argument.refuse("has an element that is smaller than the one before it");
}

void requireCount(const Arg& argument, const at::Tensor& tensor, int64_t count, OrEmpty orEmpty) {
  if (!tensor.defined() || tensor.numel() == count || (orEmpty == OrEmpty::Yes && tensor.numel() == 0)) return;
  argument.refuse("has " + std::to_string(tensor.numel()) + " elements instead of " + std::to_string(count));
}

void requireDims(const Arg& argument, const at::Tensor& tensor, int64_t dims) {
  if (!tensor.defined() || tensor.dim() == dims) return;
  argument.refuse("has " + std::to_string(tensor.dim()) + " dimensions instead of " + std::to_string(dims));
}

void requireSizes(const Arg& argument, const at::Tensor& tensor, at::IntArrayRef sizes) {
  if (!tensor.defined() || tensor.sizes() == sizes) return;
  std::ostringstream what;
  what << "has the shape " << tensor.sizes() << " instead of " << sizes;
  argument.refuse(what.str());
}

void requirePlanes(const Arg& gradOutput, const Arg& self, int64_t dims) {
  const at::Tensor grad = gradOutput.tensor();
  const at::Tensor planes = self.tensor();
  if (!grad.defined() || !planes.defined()) return;
  self.require(planes.dim() == dims + 1 || planes.dim() == dims + 2, "has a wrong number of dimensions");
  requireDims(gradOutput, planes.dim());
  for (int64_t dim = 0; dim < planes.dim() - dims; ++dim) {
    gradOutput.require(grad.size(dim) == planes.size(dim), "has another batch or number of channels than `self`");
  }
  for (int64_t dim = 1; dim <= dims; ++dim) {
    self.require(planes.size(-dim) > 0 || grad.numel() == 0, "has no elements that gradients could be of");
  }
}

}  // namespace pt2
