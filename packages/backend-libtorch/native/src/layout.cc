// Proves that strided views stay inside their memory, in arithmetic that cannot wrap around.
#include "layout.h"

#include <c10/util/safe_numerics.h>

#include <limits>
#include <string>

#include "check.h"
#include "dtype.h"
#include "failure.h"

namespace pt2 {
namespace {

constexpr size_t kMaxRank = 64;

[[noreturn]] void tooLarge() {
  throw Failure("libtorch.argument", "The layout describes more bytes than an address can count.");
}

uint64_t multiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (c10::mul_overflows(a, b, &product) || product > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    tooLarge();
  }
  return product;
}

uint64_t add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;  // both are below 2^63
  if (sum > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) tooLarge();
  return sum;
}

}  // namespace

Layout readLayout(Napi::Value value) {
  const Napi::Object object = readObject(value, "layout");
  Layout layout{parseDtype(readString(object.Get("dtype"), "layout.dtype")),
                readIntegers(object.Get("shape"), "layout.shape", 0),
                readIntegers(object.Get("strides"), "layout.strides", 0),
                readInteger(object.Get("storageOffset"), "layout.storageOffset", 0)};
  if (layout.strides.size() != layout.shape.size()) refuse("layout.strides", "as long as layout.shape");
  if (layout.shape.size() > kMaxRank) refuse("layout.shape", "of at most 64 dimensions");
  return layout;
}

Layout contiguousLayout(c10::ScalarType dtype, std::vector<int64_t> shape) {
  if (shape.size() > kMaxRank) refuse("shape", "of at most 64 dimensions");
  Layout layout{dtype, std::move(shape), {}, 0};
  layout.strides.resize(layout.shape.size());
  uint64_t stride = 1;
  for (size_t i = layout.shape.size(); i-- > 0;) {
    layout.strides[i] = static_cast<int64_t>(stride);
    if (layout.shape[i] > 1) stride = multiply(stride, static_cast<uint64_t>(layout.shape[i]));
  }
  return layout;
}

uint64_t extentBytes(const Layout& layout) {
  uint64_t count = 1;  // counts elements as if no dimension were empty: libtorch multiplies in any order
  uint64_t last = 0;   // furthest element
  bool empty = false;
  for (size_t i = 0; i < layout.shape.size(); ++i) {
    const auto size = static_cast<uint64_t>(layout.shape[i]);
    if (size == 0) {
      empty = true;
      continue;
    }
    count = multiply(count, size);
    last = add(last, multiply(size - 1, static_cast<uint64_t>(layout.strides[i])));
  }
  const uint64_t elements = empty ? 0 : add(last, 1);
  const uint64_t itemsize = c10::elementSize(layout.dtype);
  multiply(count, itemsize);
  return multiply(add(static_cast<uint64_t>(layout.storageOffset), elements), itemsize);
}

at::Tensor viewStorage(const c10::Storage& storage, const Layout& layout) {
  const uint64_t needed = extentBytes(layout);
  if (needed > storage.nbytes()) {
    throw Failure("libtorch.argument", "The layout needs " + std::to_string(needed) + " bytes, but its storage has " +
                                           std::to_string(storage.nbytes()) + ".");
  }
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), c10::scalarTypeToTypeMeta(layout.dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(layout.shape, layout.strides, layout.storageOffset);
  return tensor;
}

}  // namespace pt2
