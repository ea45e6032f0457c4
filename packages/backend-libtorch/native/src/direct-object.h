// NativeDirect of src/addon.ts.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "plan/plan.h"
#include "wrapped.h"

namespace pt2 {

// A run of fixed shapes that begins again and again, for one caller at a time.
struct DirectRun {
  struct Expected {
    c10::ScalarType dtype;
    std::vector<int64_t> shape;
    size_t bytes;
  };

  std::unique_ptr<Run> run;
  std::vector<at::Tensor> inputs;  // what `run` computes on: memory of this object alone
  std::vector<Expected> outputs;
  bool posted = false;  // on the environment's thread only
};

class DirectObject : public Wrapped<DirectObject> {
 public:
  static constexpr const char* kName = "NativeDirect";
  static constexpr napi_type_tag kTag = {0x4d90c7a2be1f6538, 0x91e3fa06d25c8b74};

  static Napi::Function define(Napi::Env env);

  explicit DirectObject(DirectRun run) : run_(std::make_shared<DirectRun>(std::move(run))) {}

 private:
  Napi::Value run(const Napi::CallbackInfo& info);
  Napi::Value post(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);
  DirectRun& idle() const;

  std::shared_ptr<DirectRun> run_;  // null once disposed; a task on the pool has it too
};

// Reads the layouts of inputs and outputs. Null for a plan that has to be run step by step, or on another device.
Napi::Value makeDirect(Napi::Env env, std::shared_ptr<Plan> plan, Napi::Value inputs, Napi::Value outputs);

}  // namespace pt2
