// Describes CUDA as libtorch sees it.
#pragma once

#include <napi.h>

namespace pt2 {

// Makes the `cuda` member of LibtorchInfo.
Napi::Value cudaInfo(Napi::Env env);

}  // namespace pt2
