// Brings tensors whose channels lie side by side into the order of their dimensions, for which ATen copies single
// numbers.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <optional>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"

namespace pt2 {

namespace {

/// Of fewer columns most of a vector is empty.
constexpr int64_t kLeastColumns = 5;

/// Dimensions of other sizes than 1, those as one that are so in memory.
struct Merged {
  at::DimVector sizes, strides;

  explicit Merged(const at::Tensor& x) {
    for (int64_t i = 0; i < x.dim(); ++i) {
      const int64_t size = x.size(i), stride = x.stride(i);
      if (size == 1) continue;
      if (!sizes.empty() && strides.back() == stride * size) {
        sizes.back() *= size;
        strides.back() = stride;
      } else {
        sizes.push_back(size);
        strides.push_back(stride);
      }
    }
  }
};

/// The tensor as matrices whose columns come first, if it consists of such.
std::optional<Transposition> transposition_of(const at::Tensor& x) {
  Merged merged(x);
  if (merged.sizes.size() == 2) {
    merged.sizes.insert(merged.sizes.begin(), 1);
    merged.strides.insert(merged.strides.begin(), 0);
  }
  if (merged.sizes.size() != 3 || merged.strides[1] != 1 || merged.sizes[1] < kLeastColumns) return std::nullopt;
  return Transposition{
      .from = x.const_data_ptr<float>(),
      .to = nullptr,
      .batch = merged.strides[0],
      .pitch = merged.strides[2],
      .matrices = merged.sizes[0],
      .rows = merged.sizes[2],
      .columns = merged.sizes[1],
  };
}

}  // namespace

at::Tensor contiguous(const at::Tensor& self, at::MemoryFormat format) {
  const bool is_moved = format == at::MemoryFormat::Contiguous && is_float(self) && !self.is_contiguous();
  if (!is_moved || self.is_neg() || self._is_zerotensor()) return self.contiguous(format);
  std::optional<Transposition> t = transposition_of(self);
  if (!t.has_value()) return self.contiguous(format);
  const at::Tensor out = at::empty(self.sizes(), self.options().memory_format(format));
  t->to = out.mutable_data_ptr<float>();
  const int64_t grain = std::max<int64_t>(1, kFloatsPerThread / (t->columns * Transposition::kRows));
  shareRanges(t->matrices * t->bands(), grain,
              [&t](int64_t begin, int64_t end) { kernels().transpose_bands(*t, begin, end); });
  return out;
}

}  // namespace pt2
