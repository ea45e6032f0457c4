// Reads values of JavaScript, and refuses those of another type.
#include "check.h"

#include <cmath>

#include "failure.h"

namespace pt2 {

void refuse(const std::string& what, const char* expected) {
  throw Failure("libtorch.argument", what + " must be " + expected + ".");
}

std::string readString(Napi::Value value, const char* what) {
  if (!value.IsString()) refuse(what, "a string");
  std::string text = value.As<Napi::String>();
  if (text.find('\0') != std::string::npos) refuse(what, "a string without NUL characters");
  return text;
}

bool readBool(Napi::Value value, const char* what) {
  if (!value.IsBoolean()) refuse(what, "a boolean");
  return value.As<Napi::Boolean>();
}

int64_t readInteger(Napi::Value value, const char* what, int64_t least) {
  constexpr double kExact = 9007199254740991.0;
  if (!value.IsNumber()) refuse(what, "an integer");
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!(std::abs(number) <= kExact) || number != std::trunc(number)) refuse(what, "an integer");
  if (number < static_cast<double>(least)) refuse(what, least > 0 ? "an integer above zero" : "zero or more");
  return static_cast<int64_t>(number);
}

Napi::Object readObject(Napi::Value value, const char* what) {
  if (!value.IsObject()) refuse(what, "an object");
  return value.As<Napi::Object>();
}

Napi::Array readArray(Napi::Value value, const char* what) {
  if (!value.IsArray()) refuse(what, "an array");
  return value.As<Napi::Array>();
}

std::vector<int64_t> readIntegers(Napi::Value value, const char* what, int64_t least) {
  return readElements(readArray(value, what), [&](Napi::Value item) { return readInteger(item, what, least); });
}

std::span<uint8_t> readBytes(Napi::Value value, const char* what) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array) {
    refuse(what, "a Uint8Array");
  }
  void* data = nullptr;
  size_t length = 0;
  if (napi_get_typedarray_info(value.Env(), value, nullptr, &length, &data, nullptr, nullptr) != napi_ok) {
    refuse(what, "a Uint8Array over memory that is still there");
  }
  return {static_cast<uint8_t*>(data), data == nullptr ? 0 : length};
}

}  // namespace pt2
