// Reads values that JavaScript passed. A value of another type is a Failure `libtorch.argument` that names the
// parameter.
#pragma once

#include <napi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pt2 {

[[noreturn]] void refuse(const std::string& what, const char* expected);

std::string readString(Napi::Value value, const char* what);
bool readBool(Napi::Value value, const char* what);
// Reads an integer of at least `least` that a double represents exactly.
int64_t readInteger(Napi::Value value, const char* what, int64_t least);
Napi::Object readObject(Napi::Value value, const char* what);
Napi::Array readArray(Napi::Value value, const char* what);
std::vector<int64_t> readIntegers(Napi::Value value, const char* what, int64_t least);

// What `read` returns for each element of an array, in order. The handles of an element are closed with it: a large
// array would make more of them than the scope of one call is meant for.
template <class Read>
auto readElements(Napi::Array array, Read read) {
  std::vector<decltype(read(Napi::Value()))> elements;
  const uint32_t length = array.Length();
  for (uint32_t i = 0; i < length; ++i) {
    const Napi::HandleScope scope(array.Env());
    // Without `reserve`: JavaScript can set a length of 2^32 - 1 on an array without elements.
    elements.push_back(read(array.Get(i)));  // NOLINT(performance-inefficient-vector-operation)
  }
  return elements;
}

// Returns the bytes of a Uint8Array. They are valid until JavaScript runs again: read everything else first.
std::span<uint8_t> readBytes(Napi::Value value, const char* what);

}  // namespace pt2
