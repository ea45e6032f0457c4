// NativeDirect of src/addon.ts.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "plan/plan.h"
#include "wrapped.h"

namespace pt2 {

class DirectObject : public Wrapped<DirectObject> {
 public:
  static constexpr const char* kName = "NativeDirect";
  static constexpr napi_type_tag kTag = {0x4d90c7a2be1f6538, 0x91e3fa06d25c8b74};

  struct Expected {
    c10::ScalarType dtype;
    std::vector<int64_t> shape;
    size_t bytes;
  };

  static Napi::Function define(Napi::Env env);

  // `run` computes on `inputs`, whose memory belongs to this object alone.
  DirectObject(std::unique_ptr<Run> run, std::vector<at::Tensor> inputs, std::vector<Expected> outputs)
      : run_(std::move(run)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

 private:
  Napi::Value run(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);
  bool areExpected(const std::vector<c10::IValue>& values) const;

  std::unique_ptr<Run> run_;  // null once disposed
  std::vector<at::Tensor> inputs_;
  std::vector<Expected> outputs_;
};

// Reads the layouts of inputs and outputs. Null for a plan that has to be run step by step, or on another device.
Napi::Value makeDirect(Napi::Env env, std::shared_ptr<Plan> plan, Napi::Value inputs, Napi::Value outputs);

}  // namespace pt2
