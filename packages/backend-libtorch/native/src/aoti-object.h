// NativeAoti of src/addon.ts: a package of native code that AOTInductor compiled.
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "wrapped.h"

namespace torch::inductor {
class AOTIModelPackageLoader;
}

namespace pt2 {

struct AotiModel;

class AotiObject : public Wrapped<AotiObject> {
 public:
  static constexpr const char* kName = "NativeAoti";
  static constexpr napi_type_tag kTag = {0x57d0b31ea6894cf2, 0xa41c98e2703d6bf5};

  static Napi::Function define(Napi::Env env);

  explicit AotiObject(std::shared_ptr<AotiModel> model) : model_(std::move(model)) {}

 private:
  AotiModel& model() const;
  Napi::Value metadata(const Napi::CallbackInfo& info);
  Napi::Value constantNames(const Napi::CallbackInfo& info);
  Napi::Value run(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);

  std::shared_ptr<AotiModel> model_;  // null once disposed
};

// addon.loadAoti(path, options)
Napi::Value loadAoti(const Napi::CallbackInfo& info);

}  // namespace pt2
