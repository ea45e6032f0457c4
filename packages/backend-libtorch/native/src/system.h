// What concerns the whole process: versions, threads, switches, libraries, memory.
#pragma once

#include <napi.h>

namespace pt2 {

Napi::Value info(const Napi::CallbackInfo& info);
Napi::Value setThreads(const Napi::CallbackInfo& info);
Napi::Value setConcurrency(const Napi::CallbackInfo& info);
Napi::Value setFlags(const Napi::CallbackInfo& info);
Napi::Value manualSeed(const Napi::CallbackInfo& info);
Napi::Value loadLibrary(const Napi::CallbackInfo& info);
Napi::Value memory(const Napi::CallbackInfo& info);

}  // namespace pt2
