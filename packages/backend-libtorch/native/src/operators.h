// The ops of libtorch's dispatcher.
#pragma once

#include <napi.h>

namespace pt2 {

Napi::Value operators(const Napi::CallbackInfo& info);
Napi::Value schema(const Napi::CallbackInfo& info);
Napi::Value hasKernel(const Napi::CallbackInfo& info);
Napi::Value refusal(const Napi::CallbackInfo& info);

}  // namespace pt2
