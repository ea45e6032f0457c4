#include <c10/util/safe_numerics.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// libtorch checks that a view ends within its storage, in arithmetic that wraps around.
void requireExtent(const CallArguments& call, size_t sizesAt, size_t stridesAt, size_t offsetAt, int64_t itemsize) {
  const at::Tensor sizes = call.integers(sizesAt);
  const at::Tensor strides = call.integers(stridesAt);
  if (!sizes.defined() || !strides.defined() || sizes.numel() != strides.numel()) return;
  uint64_t count = 1;
  auto end = static_cast<uint64_t>(std::max<int64_t>(call.integer(offsetAt, 0), 0));
  bool fits = true;
  for (int64_t i = 0; i < sizes.numel() && fits; ++i) {
    const auto size = sizes[i].item<int64_t>(), stride = strides[i].item<int64_t>();
    if (size < 0 || stride < 0) return;
    uint64_t step = 0;
    fits = !c10::mul_overflows(count, static_cast<uint64_t>(std::max<int64_t>(size, 1)), &count) &&
           !c10::mul_overflows(static_cast<uint64_t>(std::max<int64_t>(size, 1) - 1), static_cast<uint64_t>(stride), &step) &&
           !c10::add_overflows(end, step, &end);
  }
  const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / static_cast<uint64_t>(itemsize);
  require(fits && count <= most && end < most, call, "size", "describes more bytes than an address can count");
}

int64_t itemsizeOf(const CallArguments& call, size_t at) {
  const bool known = at < call.values.size() && call.values[at].isTensor() && call.values[at].toTensor().defined();
  return known ? static_cast<int64_t>(call.values[at].toTensor().element_size()) : 16;
}

// (self, size, stride, storage_offset)
void asStrided(const CallArguments& call) { requireExtent(call, 1, 2, 3, itemsizeOf(call, 0)); }

// (self, src, size, stride, storage_offset)
void asStridedScatter(const CallArguments& call) { requireExtent(call, 2, 3, 4, itemsizeOf(call, 0)); }

// (self, source, storage_offset, size, stride)
void setSource(const CallArguments& call) { requireExtent(call, 3, 4, 2, itemsizeOf(call, 0)); }

}  // namespace

const CheckTable& viewChecks() {
  static const CheckTable table = {
      {"aten::as_strided", asStrided},
      {"aten::as_strided_", asStrided},
      {"aten::as_strided_copy", asStrided},
      {"aten::as_strided_scatter", asStridedScatter},
      {"aten::set_", setSource},
      {"aten::set", setSource},
  };
  return table;
}

}  // namespace pt2
