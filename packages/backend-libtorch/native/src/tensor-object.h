// NativeTensor of src/addon.ts.
#pragma once

#include <ATen/core/Tensor.h>

#include "wrapped.h"

namespace pt2 {

class TensorObject : public Wrapped<TensorObject> {
 public:
  static constexpr const char* kName = "NativeTensor";
  static constexpr napi_type_tag kTag = {0x6f1d7a8e52c94b03, 0x9b6de1f4c07a2358};

  static Napi::Function define(Napi::Env env);

  // `reported` is the memory that this object alone holds, which its collection would free.
  static Napi::Object make(Napi::Env env, at::Tensor tensor, int64_t reported);

  TensorObject(Napi::Env env, at::Tensor tensor, int64_t reported);
  ~TensorObject();
  TensorObject(const TensorObject&) = delete;
  TensorObject& operator=(const TensorObject&) = delete;

  // Throws Failure `libtorch.disposed` after `dispose`.
  const at::Tensor& tensor() const;

 private:
  Napi::Value dtype(const Napi::CallbackInfo& info);
  Napi::Value shape(const Napi::CallbackInfo& info);
  Napi::Value strides(const Napi::CallbackInfo& info);
  Napi::Value device(const Napi::CallbackInfo& info);
  Napi::Value bytes(const Napi::CallbackInfo& info);
  Napi::Value isLent(const Napi::CallbackInfo& info);
  Napi::Value read(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);
  void release();
  // Tells V8 how much memory the object alone holds.
  void report(int64_t bytes);

  Napi::Env env_;
  at::Tensor tensor_;  // undefined once disposed
  int64_t reported_;
  bool is_lent_ = false;
};

// addon.tensor(storage, layout, device)
Napi::Value tensor(const Napi::CallbackInfo& info);

}  // namespace pt2
