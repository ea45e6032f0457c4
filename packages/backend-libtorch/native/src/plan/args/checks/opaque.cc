// Finds tensors of oneDNN among the arguments of a call.
#include "plan/args/checks/opaque.h"

#include <ATen/core/Tensor.h>

#include "failure.h"

namespace pt2 {
namespace {

struct Counts {
  size_t opaque = 0, ordinary = 0;
};

void count(const c10::IValue& value, Counts& counts) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (tensor.defined()) ++(tensor.is_mkldnn() ? counts.opaque : counts.ordinary);
  } else if (value.isTensorList()) {
    for (const c10::IValue& item : value.toListRef()) count(item, counts);
  }
}

// ATen writes the tensors that oneDNN's ops compute to an ordinary `out`.
bool isMadeForBoth(const std::string& op) {
  return knowsOpaque(op) && (!op.starts_with("aten::") || op.find('.') == std::string::npos);
}

}  // namespace

bool knowsOpaque(const std::string& op) {
  return op.find("mkldnn") != std::string::npos || op.find("onednn") != std::string::npos || op.starts_with("mkl::");
}

void requireSameMemory(const std::string& op, const std::vector<c10::IValue>& values) {
  if (isMadeForBoth(op)) return;
  Counts counts;
  for (const c10::IValue& value : values) count(value, counts);
  if (counts.opaque == 0 || counts.ordinary == 0) return;
  throw Failure("libtorch.argument", "`" + op + "` takes tensors of oneDNN and ordinary ones, but not together.");
}

}  // namespace pt2
