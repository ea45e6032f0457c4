// Values that cross the border, as src/addon.ts names them: an integer is a bigint, a float a number.
#pragma once

#include <ATen/core/ivalue.h>
#include <napi.h>

#include <vector>

namespace pt2 {

// Failure `libtorch.argument` for what is no NativeValue, `libtorch.disposed` for a tensor that is gone.
c10::IValue toIValue(Napi::Value value);
std::vector<c10::IValue> toIValues(Napi::Value array, const char* what);

// Failure `libtorch.result` for kinds of values that JavaScript cannot have.
Napi::Value fromIValue(Napi::Env env, const c10::IValue& value);
Napi::Value fromIValues(Napi::Env env, const std::vector<c10::IValue>& values);
Napi::Value fromTensor(Napi::Env env, const at::Tensor& tensor);

}  // namespace pt2
