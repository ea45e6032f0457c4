// Reads the inputs of a run from JavaScript.
#include "inputs.h"

#include "check.h"
#include "dtype.h"
#include "host-bytes.h"
#include "storage-object.h"
#include "tensor-object.h"
#include "value.h"

namespace pt2 {
namespace {

struct PendingBytes {
  size_t input;
  Napi::Value bytes;
  Layout layout;
};

// Whether a value is a NativeBytes of src/addon.ts.
bool isBytes(Napi::Value value) {
  return value.IsObject() && !value.IsArray() && TensorObject::find(value) == nullptr &&
         value.As<Napi::Object>().Has("bytes");
}

PendingBytes readPending(size_t input, Napi::Object object) {
  return {input, object.Get("bytes"),
          contiguousLayout(parseDtype(readString(object.Get("dtype"), "dtype")),
                           readIntegers(object.Get("shape"), "shape", 0))};
}

at::Tensor toTensor(const PendingBytes& pending, c10::Device device, Borrow* borrow) {
  const std::span<uint8_t> bytes = readBytes(pending.bytes, "bytes");
  if (bytes.size() != extentBytes(pending.layout)) refuse("bytes", "as many as dtype and shape say");
  if (borrow != nullptr) return toDevice(borrow->view(bytes, pending.layout), device);
  return toDevice(viewStorage(copiedStorage(bytes), pending.layout), device);
}

}  // namespace

std::vector<c10::IValue> readInputs(Napi::Value value, c10::Device device, Borrow* borrow) {
  const Napi::Array array = readArray(value, "inputs");
  const uint32_t length = array.Length();
  std::vector<c10::IValue> inputs;
  std::vector<PendingBytes> pending;
  for (uint32_t i = 0; i < length; ++i) {
    const Napi::Value input = array[i];
    if (isBytes(input)) pending.push_back(readPending(i, input.As<Napi::Object>()));
    inputs.push_back(isBytes(input) ? c10::IValue() : toIValue(input));
  }
  // The bytes are read last: reading a property can run JavaScript, which could detach the memory.
  for (const PendingBytes& bytes : pending) inputs[bytes.input] = toTensor(bytes, device, borrow);
  return inputs;
}

}  // namespace pt2
