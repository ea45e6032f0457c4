// Describes CUDA as libtorch sees it.
#pragma once

#include <napi.h>

namespace pt2 {

// Makes the `cuda` member of LibtorchInfo.
Napi::Value cudaInfo(Napi::Env env);

// Makes the `devices` member of NativeMemory: what libtorch's allocator took of each GPU. Empty before the first
// tensor.
Napi::Array cudaMemory(Napi::Env env);

}  // namespace pt2
