// Reads values of arguments for the checks, and refuses them.
#include "plan/args/checks/arg.h"

#include <ATen/ops/tensor.h>

#include "plan/args/argument-failure.h"

namespace pt2 {
namespace {

at::Tensor readable(const c10::IValue& value) {
  if (!value.isTensor()) return {};
  const at::Tensor& tensor = value.toTensor();
  const bool plain = tensor.defined() && tensor.device().is_cpu() && tensor.layout() == c10::kStrided;
  return plain ? tensor : at::Tensor();
}

}  // namespace

at::Tensor Arg::tensor() const { return readable(*value_); }

std::vector<at::Tensor> Arg::tensors() const {
  std::vector<at::Tensor> tensors;
  if (!value_->isList()) return tensors;
  for (const c10::IValue& item : value_->toListRef()) tensors.push_back(readable(item));
  return tensors;
}

int64_t Arg::integer(int64_t otherwise) const {
  if (value_->isBool()) return value_->toBool() ? 1 : 0;
  return value_->isInt() ? value_->toInt() : otherwise;
}

at::Tensor Arg::integers() const {
  if (value_->isIntList()) return at::tensor(value_->toIntVector(), c10::kLong);
  const at::Tensor given = tensor();
  const bool integral = given.defined() && c10::isIntegralType(given.scalar_type(), /*includeBool=*/false);
  return integral ? given.to(c10::kLong) : at::Tensor();
}

void Arg::refuse(const std::string& what) const { refuseArgument(*op_, name_, what); }

}  // namespace pt2
