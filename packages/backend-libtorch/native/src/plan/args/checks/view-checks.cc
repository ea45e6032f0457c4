// Checks views by size and stride: libtorch checks that they end within their storage, with arithmetic that overflows.
#include <c10/util/safe_numerics.h>

#include <algorithm>
#include <limits>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// Returns the size of an element of the tensor; that of the largest dtype where there is no tensor.
uint64_t bytesPerElement(const Arg& self) {
  constexpr uint64_t kMost = 16;
  const bool known = self.value().isTensor() && self.value().toTensor().defined();
  return known ? static_cast<uint64_t>(self.value().toTensor().element_size()) : kMost;
}

void viewExtent(const Arg& self, const Arg& size, const Arg& stride, const Arg& storageOffset) {
  const at::Tensor sizes = size.integers();
  const at::Tensor strides = stride.integers();
  if (!sizes.defined() || !strides.defined() || sizes.numel() != strides.numel()) return;
  uint64_t count = 1;
  auto end = static_cast<uint64_t>(std::max<int64_t>(storageOffset.integer(0), 0));
  bool fits = true;
  for (int64_t i = 0; i < sizes.numel() && fits; ++i) {
    if (sizes[i].item<int64_t>() < 0 || strides[i].item<int64_t>() < 0) return;
    const auto length = static_cast<uint64_t>(std::max<int64_t>(sizes[i].item<int64_t>(), 1));
    const auto step = static_cast<uint64_t>(strides[i].item<int64_t>());
    uint64_t reach = 0;
    fits = !c10::mul_overflows(count, length, &count) && !c10::mul_overflows(length - 1, step, &reach) &&
           !c10::add_overflows(end, reach, &end);
  }
  const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / bytesPerElement(self);
  size.require(fits && count <= most && end < most, "describes more bytes than an address can count");
}

}  // namespace

const CheckTable& viewChecks() {
  static const CheckTable table = {
      {{"aten::as_strided", "aten::as_strided_", "aten::as_strided_copy", "aten::as_strided_copy.out",
        "aten::as_strided_scatter", "aten::as_strided_scatter.out", "aten::set_.source_Tensor_storage_offset",
        "aten::set_.source_Storage_storage_offset", "aten::set.source_Storage_storage_offset",
        "aten::set.source_Storage_storage_offset_out"},
       {reads<viewExtent>("self", "size", "stride", "storage_offset")}},
      {{"aten::set_", "aten::set_.source_Tensor", "aten::set_.source_Storage", "aten::set", "aten::set.out",
        "aten::set.source_Tensor", "aten::set.source_Tensor_out", "aten::set.source_Storage",
        "aten::set.source_Storage_out"},
       {}},
  };
  return table;
}

}  // namespace pt2
