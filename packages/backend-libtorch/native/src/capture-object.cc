// Gives JavaScript captured runs.
#include "capture-object.h"

#include "inputs.h"
#include "instance.h"
#include "value.h"

namespace pt2 {

Napi::Function CaptureObject::define(Napi::Env env) {
  return Wrapped::define(env, {method<&CaptureObject::run>("run"), method<&CaptureObject::dispose>("dispose")});
}

Napi::Value CaptureObject::run(const Napi::CallbackInfo& info) {
  if (!capture_) throw Failure("libtorch.disposed", "This capture has been disposed.");
  return post(
      info.Env(), *Instance::of(info.Env()).promises,
      [capture = capture_, inputs = readInputs(info[0], device_, nullptr)] { return capture->run(inputs); },
      [](Napi::Env env, const Values& results) { return fromIValues(env, results); });
}

Napi::Value CaptureObject::dispose(const Napi::CallbackInfo& info) {
  capture_.reset();
  return info.Env().Undefined();
}

Napi::Value postCapture(Napi::Env env, std::shared_ptr<Plan> plan, Values inputs, c10::Device device) {
  return post(
      env, *Instance::of(env).promises,
      [plan = std::move(plan), inputs = std::move(inputs), device] {
        return std::make_shared<CapturedRun>(plan, inputs, device);
      },
      [device](Napi::Env env, std::shared_ptr<CapturedRun> capture) -> Napi::Value {
        return CaptureObject::wrap(env, Instance::of(env).capture,
                                   std::make_unique<CaptureObject>(std::move(capture), device));
      });
}

}  // namespace pt2
