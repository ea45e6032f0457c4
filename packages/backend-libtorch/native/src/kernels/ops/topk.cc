// The largest or smallest elements of float32, found by the bits: no branch depends on how two elements compare.
#include <ATen/ops/empty.h>
#include <ATen/ops/topk.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

/// Numbers of bits that a first look at the elements tells apart, and that a pass of sorting does.
constexpr int kCoarse = 11, kDigit = 8;

/// A thread gets at least this many elements.
constexpr int64_t kElementsPerThread = int64_t{8} * 1024;

/// An element's key in the upper half, its position in the lower one.
using Item = uint64_t;

/// A number that is smaller for what comes first. NaN is the largest number; both zeros are one.
inline uint32_t key_of(float value, bool largest) {
  const float plain = value + 0.0F;
  uint32_t bits;
  std::memcpy(&bits, &plain, sizeof bits);
  const uint32_t sign = static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31);
  const uint32_t key = value != value ? UINT32_MAX : bits ^ (sign | 0x80000000U);
  return largest ? ~key : key;
}

/// A row of elements, some floats apart.
struct Row {
  const float* data;
  int64_t stride;
  int64_t size;
};

class Selector {
 public:
  Selector(int64_t size, int64_t k, bool largest) : k_(k), largest_(largest), items_(size), spare_(size) {}

  /// The first elements of the row, in order; null where equal ones leave a choice.
  const Item* select(const Row& row) {
    const uint32_t last = last_cell(row);
    size_t count = 0;
    for (int64_t i = 0; i < row.size; i++) {
      const uint32_t key = key_of(row.data[i * row.stride], largest_);
      items_[count] = static_cast<Item>(key) << 32 | static_cast<uint32_t>(i);
      count += (key >> (32 - kCoarse)) <= last;
    }
    sort(count);
    // The first one that is left out may be equal to the last one taken.
    const size_t checked = std::min(count, static_cast<size_t>(k_) + 1);
    for (size_t i = 1; i < checked; i++)
      if (items_[i] >> 32 == items_[i - 1] >> 32) return nullptr;
    return items_.data();
  }

 private:
  /// The coarse cell that the k-th element is in.
  uint32_t last_cell(const Row& row) {
    coarse_.fill(0);
    for (int64_t i = 0; i < row.size; i++) coarse_[key_of(row.data[i * row.stride], largest_) >> (32 - kCoarse)]++;
    uint32_t cell = 0;
    for (int64_t up_to = coarse_[0]; up_to < k_;) up_to += coarse_[++cell];
    return cell;
  }

  /// Sorts the first `count` items by their keys.
  void sort(size_t count) {
    for (int shift = 32; shift < 64; shift += kDigit) {
      digits_.fill(0);
      const auto digit = [shift](Item item) { return (item >> shift) & ((1U << kDigit) - 1); };
      for (size_t i = 0; i < count; i++) digits_[digit(items_[i])]++;
      // Digits that all have in common change nothing.
      if (count == 0 || digits_[digit(items_[0])] == count) continue;
      uint32_t start = 0;
      for (uint32_t& number : digits_) start += std::exchange(number, start);
      for (size_t i = 0; i < count; i++) spare_[digits_[digit(items_[i])]++] = items_[i];
      items_.swap(spare_);
    }
  }

  int64_t k_;
  bool largest_;
  std::vector<Item> items_, spare_;
  std::array<uint32_t, size_t{1} << kCoarse> coarse_;
  std::array<uint32_t, size_t{1} << kDigit> digits_;
};

}  // namespace

std::tuple<at::Tensor, at::Tensor> topk(const at::Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  const auto by_comparing = [&] { return at::topk(self, k, dim, largest, sorted); };
  if (self.scalar_type() != at::kFloat || self.layout() != at::kStrided || self.dim() == 0 || !sorted) {
    return by_comparing();
  }
  const int64_t axis = c10::maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(axis);
  if (k < 1 || k > size || size > INT32_MAX || self.numel() == 0) return by_comparing();
  auto shape = self.sizes().vec();
  shape[axis] = k;
  const at::Tensor values = at::empty(shape, self.options().memory_format(at::MemoryFormat::Contiguous));
  const at::Tensor indices = at::empty(shape, values.options().dtype(at::kLong));
  // Rows are numbered by the dimensions before and after the one that is ordered.
  const at::Tensor rows = self.movedim(axis, -1);
  const int64_t inner = values.stride(axis), count = rows.numel() / size;
  const auto* data = self.const_data_ptr<float>();
  auto* to_values = values.mutable_data_ptr<float>();
  auto* to_indices = indices.mutable_data_ptr<int64_t>();
  const auto strides = rows.strides(), sizes = rows.sizes();
  std::atomic<bool> tied = false;
  const auto order = [&](Selector& selector, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end && !tied; row++) {
      int64_t offset = 0, rest = row;
      for (int64_t d = rows.dim() - 2; d >= 0; rest /= sizes[d], d--) offset += rest % sizes[d] * strides[d];
      const Row from{data + offset, strides.back(), size};
      const Item* found = selector.select(from);
      if (found == nullptr) {
        tied = true;
        return;
      }
      const int64_t to = row / inner * inner * k + row % inner;
      for (int64_t i = 0; i < k; i++) {
        const auto position = static_cast<uint32_t>(found[i]);
        to_values[to + i * inner] = from.data[position * from.stride];
        to_indices[to + i * inner] = position;
      }
    }
  };
  share(count, std::max<int64_t>(1, kElementsPerThread / size), [&](Pieces& pieces) {
    Selector selector(size, k, largest);
    for (Piece piece; pieces.next(piece);) order(selector, piece.begin, piece.end);
  });
  return tied ? by_comparing() : std::make_tuple(values, indices);
}

}  // namespace pt2
