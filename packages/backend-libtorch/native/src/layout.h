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

// Reads a TensorLayout of src/addon.ts. Throws Failure `libtorch.argument` for a layout that no tensor has.
Layout readLayout(Napi::Value value);

// The layout is row-major and begins at the first byte.
Layout contiguousLayout(c10::ScalarType dtype, std::vector<int64_t> shape);

// Returns the number of bytes from the start of the storage to the end of the last element.
uint64_t extentBytes(const Layout& layout);

// Makes a view of the storage, which must be large enough, else throws Failure `libtorch.argument`.
at::Tensor viewStorage(const c10::Storage& storage, const Layout& layout);

}  // namespace pt2
