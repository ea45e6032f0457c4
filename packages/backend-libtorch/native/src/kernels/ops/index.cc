// Rows of a tensor, or its numbers, by tables of their places: each row is copied as it lies in memory.
#include <ATen/core/List.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

/// A thread gets at least this many bytes.
constexpr int64_t kBytesPerThread = int64_t{32} * 1024;

/// Tables for dimensions [first, last), one behind the other.
struct Tables {
  int64_t first = 0, last = 0;
  std::vector<at::Tensor> places;
};

/// Tables of int64 of one shape for neighboring dimensions; none where there are others.
std::optional<Tables> tables_of(const c10::List<std::optional<at::Tensor>>& indices) {
  Tables tables;
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<at::Tensor> given = indices.get(i);
    if (!given.has_value() || !given->defined()) continue;
    const at::Tensor& table = *given;
    if (table.scalar_type() != at::kLong || !table.device().is_cpu() || table.layout() != at::kStrided)
      return std::nullopt;
    const auto at = static_cast<int64_t>(i);
    if (tables.places.empty()) {
      tables.first = at;
    } else if (at != tables.last || table.sizes() != tables.places.front().sizes()) {
      return std::nullopt;
    }
    tables.last = at + 1;
    tables.places.push_back(table.contiguous());
  }
  if (tables.places.empty()) return std::nullopt;
  return tables;
}

/// Where rows begin, counted in rows, by the tables for the dimensions of `self`; none where one of them is outside.
std::optional<std::vector<int64_t>> rows_of(const at::Tensor& self, const Tables& tables) {
  std::vector<int64_t> rows(static_cast<size_t>(tables.places.front().numel()));
  for (size_t d = 0; d < tables.places.size(); ++d) {
    const int64_t size = self.size(tables.first + static_cast<int64_t>(d));
    const int64_t* place = tables.places[d].const_data_ptr<int64_t>();
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t at = place[i] < 0 ? place[i] + size : place[i];
      if (at < 0 || at >= size) return std::nullopt;
      rows[i] = rows[i] * size + at;
    }
  }
  return rows;
}

int64_t product_of(at::IntArrayRef sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

/// Copies rows [begin, end) of a number of bytes that may be known.
template <typename Bytes>
void copy_rows(const char* from, const int64_t* rows, int64_t begin, int64_t end, char* to, Bytes bytes) {
  const auto count = static_cast<size_t>(bytes);
  for (int64_t i = begin; i < end; ++i) std::memcpy(to + i * bytes, from + rows[i] * bytes, count);
}

}  // namespace

at::Tensor index(const at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices) {
  const bool is_plain = self.device().is_cpu() && self.layout() == at::kStrided && self.is_contiguous();
  if (!is_plain || self.is_neg() || self.is_conj() || self._is_zerotensor()) return at::index(self, indices);
  const std::optional<Tables> tables = tables_of(indices);
  if (!tables.has_value() || tables->last > self.dim()) return at::index(self, indices);
  const std::optional<std::vector<int64_t>> rows = rows_of(self, *tables);
  // What is outside is refused there.
  if (!rows.has_value()) return at::index(self, indices);
  const at::IntArrayRef sizes = self.sizes();
  const at::IntArrayRef before = sizes.slice(0, static_cast<size_t>(tables->first));
  const at::IntArrayRef after = sizes.slice(static_cast<size_t>(tables->last));
  at::DimVector shape(before);
  for (const int64_t size : tables->places.front().sizes()) shape.push_back(size);
  shape.append(after.begin(), after.end());
  const at::Tensor out = at::empty(shape, self.options());
  if (out.numel() == 0) return out;
  const auto count = static_cast<int64_t>(rows->size());
  const int64_t bytes = product_of(after) * self.element_size();
  const int64_t pitch = self.nbytes() / product_of(before);
  const char* from = static_cast<const char*>(self.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  shareRanges(product_of(before) * count, std::max<int64_t>(1, kBytesPerThread / bytes),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end;) {
                  const int64_t block = i / count, first = i % count, last = std::min(count, first + end - i);
                  const char* own = from + block * pitch;
                  char* result = to + block * count * bytes;
                  if (bytes == 4) {
                    copy_rows(own, rows->data(), first, last, result, std::integral_constant<int64_t, 4>{});
                  } else {
                    copy_rows(own, rows->data(), first, last, result, bytes);
                  }
                  i += last - first;
                }
              });
  return out;
}

}  // namespace pt2
