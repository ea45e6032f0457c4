// The state of each JavaScript environment (the main thread, every worker).
#pragma once

#include <napi.h>

#include <memory>

#include "task.h"

namespace pt2 {

struct Instance {
  explicit Instance(Napi::Env env);
  static Instance& of(Napi::Env env) { return *env.GetInstanceData<Instance>(); }

  Napi::FunctionReference tensor;
  Napi::FunctionReference storage;
  Napi::FunctionReference file;
  Napi::FunctionReference plan;
  Napi::FunctionReference run;
  Napi::FunctionReference capture;
  Napi::FunctionReference direct;
  Napi::FunctionReference aoti;
  std::shared_ptr<Promises> promises;
};

}  // namespace pt2
