// NativePlan of src/addon.ts.
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "plan/plan.h"
#include "wrapped.h"

namespace pt2 {

class PlanObject : public Wrapped<PlanObject> {
 public:
  static constexpr const char* kName = "NativePlan";
  static constexpr napi_type_tag kTag = {0x2b6f94d8e37a4c15, 0xbd50a3f7184ec692};

  static Napi::Function define(Napi::Env env);

  PlanObject(std::shared_ptr<Plan> plan, c10::Device device) : plan_(std::move(plan)), device_(device) {}

 private:
  const std::shared_ptr<Plan>& plan() const;
  Napi::Value bind(const Napi::CallbackInfo& info);
  Napi::Value start(const Napi::CallbackInfo& info);
  Napi::Value runSync(const Napi::CallbackInfo& info);
  Napi::Value direct(const Napi::CallbackInfo& info);
  Napi::Value capture(const Napi::CallbackInfo& info);
  Napi::Value boundBytes(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);

  std::shared_ptr<Plan> plan_;  // null once disposed
  c10::Device device_;
};

// addon.compile(plan, bound)
Napi::Value compile(const Napi::CallbackInfo& info);

}  // namespace pt2
