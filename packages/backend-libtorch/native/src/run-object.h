// NativeRun of src/addon.ts.
#pragma once

#include <memory>

#include "run-state.h"
#include "wrapped.h"

namespace pt2 {

// A NativeStep of src/addon.ts.
Napi::Value fromStep(Napi::Env env, const Step& step);

class RunObject : public Wrapped<RunObject> {
 public:
  static constexpr const char* kName = "NativeRun";
  static constexpr napi_type_tag kTag = {0x93ab5e6c20f1487d, 0x8e72d40b6c19f3a5};

  static Napi::Function define(Napi::Env env);
  static Napi::Object make(Napi::Env env, std::shared_ptr<RunState> state);

  explicit RunObject(std::shared_ptr<RunState> state) : state_(std::move(state)) {}

 private:
  Napi::Value resume(const Napi::CallbackInfo& info);
  Napi::Value resumeSync(const Napi::CallbackInfo& info);
  Napi::Value cancel(const Napi::CallbackInfo& info);

  std::shared_ptr<RunState> state_;
};

}  // namespace pt2
