// What libtorch sees of CUDA.
#pragma once

#include <napi.h>

namespace pt2 {

// The `cuda` member of LibtorchInfo.
Napi::Value cudaInfo(Napi::Env env);

}  // namespace pt2
