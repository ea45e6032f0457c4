// Reads what JavaScript passed. Anything of another type is a Failure `libtorch.argument` that names the parameter.
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
// An integer that a double holds exactly, at least `least`.
int64_t readInteger(Napi::Value value, const char* what, int64_t least);
Napi::Object readObject(Napi::Value value, const char* what);
Napi::Array readArray(Napi::Value value, const char* what);
std::vector<int64_t> readIntegers(Napi::Value value, const char* what, int64_t least);

// The bytes of a Uint8Array. They are valid until JavaScript runs again: read everything else first.
std::span<uint8_t> readBytes(Napi::Value value, const char* what);

}  // namespace pt2
