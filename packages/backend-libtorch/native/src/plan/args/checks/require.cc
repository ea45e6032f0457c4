#include "plan/args/checks/require.h"

#include <ATen/ops/aminmax.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <sstream>

#include "failure.h"

namespace pt2 {

namespace {

at::Tensor readable(const c10::IValue& value) {
  if (!value.isTensor()) return {};
  const at::Tensor& tensor = value.toTensor();
  const bool plain = tensor.defined() && tensor.device().is_cpu() && tensor.layout() == c10::kStrided;
  return plain ? tensor : at::Tensor();
}

}  // namespace

at::Tensor CallArguments::tensor(size_t index) const {
  return index < values.size() ? readable(values[index]) : at::Tensor();
}

bool CallArguments::has(std::initializer_list<size_t> places) const {
  return std::all_of(places.begin(), places.end(), [this](size_t place) { return tensor(place).defined(); });
}

std::vector<at::Tensor> CallArguments::tensors(size_t index) const {
  std::vector<at::Tensor> tensors;
  if (index >= values.size() || !values[index].isList()) return tensors;
  for (const c10::IValue& item : values[index].toListRef()) tensors.push_back(readable(item));
  return tensors;
}

int64_t CallArguments::integer(size_t index, int64_t otherwise) const {
  if (index >= values.size()) return otherwise;
  if (values[index].isBool()) return values[index].toBool() ? 1 : 0;
  return values[index].isInt() ? values[index].toInt() : otherwise;
}

at::Tensor CallArguments::integers(size_t index) const {
  if (index < values.size() && values[index].isIntList()) return at::tensor(values[index].toIntVector(), c10::kLong);
  const at::Tensor given = tensor(index);
  return given.defined() && c10::isIntegralType(given.scalar_type(), /*includeBool=*/false) ? given.to(c10::kLong)
                                                                                           : at::Tensor();
}

void refuseArgument(const CallArguments& call, const char* name, const std::string& what) {
  Failure failure("libtorch.argument", "`" + call.op + "`: argument `" + name + "` " + what + ".");
  failure.arg = name;
  throw failure;
}

void requirePlain(const CallArguments& call, size_t from, size_t to) {
  for (size_t at = from; at < to && at < call.values.size(); ++at) {
    const bool given = call.values[at].isTensor() && call.values[at].toTensor().defined();
    if (!given || call.tensor(at).defined()) continue;
    throw Failure("libtorch.argument", "`" + call.op + "` takes strided tensors of the CPU.");
  }
}

void requireRange(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t from, int64_t to) {
  if (!tensor.defined() || tensor.numel() == 0) return;
  if (!c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) return;
  const auto [least, most] = at::aminmax(tensor);
  for (const int64_t value : {least.item<int64_t>(), most.item<int64_t>()}) {
    if (value >= from && value < to) continue;
    refuseArgument(call, name, "has the element " + std::to_string(value) + ", which is not in [" +
                                   std::to_string(from) + ", " + std::to_string(to) + ")");
  }
}

void requireOffsets(const CallArguments& call, const char* name, const at::Tensor& offsets, int64_t last) {
  if (!offsets.defined() || offsets.dim() == 0 || offsets.numel() == 0) return;
  requireRange(call, name, offsets, 0, last + 1);
  const int64_t count = offsets.size(-1);
  if (count < 2 || offsets.narrow(-1, 1, count - 1).ge(offsets.narrow(-1, 0, count - 1)).all().item<bool>()) return;
  refuseArgument(call, name, "has an element that is smaller than the one before it");
}

void requireCount(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t count, bool orNone) {
  if (!tensor.defined() || tensor.numel() == count || (orNone && tensor.numel() == 0)) return;
  refuseArgument(call, name, "has " + std::to_string(tensor.numel()) + " elements instead of " + std::to_string(count));
}

void requireDims(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t dims) {
  if (!tensor.defined() || tensor.dim() == dims) return;
  refuseArgument(call, name, "has " + std::to_string(tensor.dim()) + " dimensions instead of " + std::to_string(dims));
}

void requireSizes(const CallArguments& call, const char* name, const at::Tensor& tensor, at::IntArrayRef sizes) {
  if (!tensor.defined() || tensor.sizes() == sizes) return;
  std::ostringstream what;
  what << "has the shape " << tensor.sizes() << " instead of " << sizes;
  refuseArgument(call, name, what.str());
}

void requirePlanes(const CallArguments& call, int64_t dims) {
  const at::Tensor grad = call.tensor(0);
  const at::Tensor self = call.tensor(1);
  if (!grad.defined() || !self.defined()) return;
  require(self.dim() == dims + 1 || self.dim() == dims + 2, call, "self", "has a wrong number of dimensions");
  requireDims(call, "grad_output", grad, self.dim());
  for (int64_t dim = 0; dim < self.dim() - dims; ++dim) {
    require(grad.size(dim) == self.size(dim), call, "grad_output", "has another batch or number of channels than `self`");
  }
  for (int64_t dim = 1; dim <= dims; ++dim) {
    require(self.size(-dim) > 0 || grad.numel() == 0, call, "self", "has no elements that gradients could be of");
  }
}

}  // namespace pt2
