// Ops that JavaScript calls one by one, by schema.
#pragma once

#include <napi.h>

namespace pt2 {

Napi::Value call(const Napi::CallbackInfo& info);
Napi::Value callSync(const Napi::CallbackInfo& info);

}  // namespace pt2
