// NativeCapture of src/addon.ts.
#pragma once

#include <memory>

#include "captured-run.h"
#include "wrapped.h"

namespace pt2 {

class CaptureObject : public Wrapped<CaptureObject> {
 public:
  static constexpr const char* kName = "NativeCapture";
  static constexpr napi_type_tag kTag = {0x7ac1529ee84b30d6, 0xc6f7104b93ad825e};

  static Napi::Function define(Napi::Env env);

  CaptureObject(std::shared_ptr<CapturedRun> capture, c10::Device device)
      : capture_(std::move(capture)), device_(device) {}

 private:
  Napi::Value run(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);

  std::shared_ptr<CapturedRun> capture_;  // null once disposed
  c10::Device device_;
};

// Captures on the pool; the promise resolves to a NativeCapture.
Napi::Value postCapture(Napi::Env env, std::shared_ptr<Plan> plan, Values inputs, c10::Device device);

}  // namespace pt2
