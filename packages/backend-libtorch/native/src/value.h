// Values between JavaScript and C++, as src/addon.ts names them: an integer is a bigint, a float a number.
#pragma once

#include <ATen/core/ivalue.h>
#include <napi.h>

#include <vector>

namespace pt2 {

// Throws Failure `libtorch.argument` for a value that is not a NativeValue, `libtorch.disposed` for a disposed tensor.
c10::IValue toIValue(Napi::Value value);
std::vector<c10::IValue> toIValues(Napi::Value array, const char* what);

// Throws Failure `libtorch.result` for kinds of values that JavaScript cannot have.
Napi::Value fromIValue(Napi::Env env, const c10::IValue& value);
Napi::Value fromIValues(Napi::Env env, const std::vector<c10::IValue>& values);
Napi::Value fromTensor(Napi::Env env, const at::Tensor& tensor);
// Gives JavaScript what it makes arrays of at once, whose memory V8 counts by itself.
Napi::Value fromResults(Napi::Env env, const std::vector<c10::IValue>& values);

}  // namespace pt2
