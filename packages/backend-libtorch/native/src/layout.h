// Strided views of memory, checked before they are made.
#pragma once

#include <ATen/core/Tensor.h>
#include <napi.h>

#include <cstdint>
#include <vector>

namespace pt2 {

struct Layout {
  c10::ScalarType dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t storageOffset = 0;
};

// A TensorLayout of src/addon.ts. Failure `libtorch.argument` for one that no tensor has.
Layout readLayout(Napi::Value value);

// Row-major, from the first byte on.
Layout contiguousLayout(c10::ScalarType dtype, std::vector<int64_t> shape);

// Bytes from the start of the storage to behind the last element.
uint64_t extentBytes(const Layout& layout);

// A view of the storage, which must be large enough, else Failure `libtorch.argument`.
at::Tensor viewStorage(const c10::Storage& storage, const Layout& layout);

}  // namespace pt2
