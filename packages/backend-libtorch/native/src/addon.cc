// The native module: `Addon` of src/addon.ts.
#include <napi.h>

#include "aoti-object.h"
#include "counting-allocator.h"
#include "eager.h"
#include "errors.h"
#include "exit.h"
#include "file-object.h"
#include "freed-memory.h"
#include "instance.h"
#include "operators.h"
#include "plan-object.h"
#include "storage-object.h"
#include "system.h"
#include "tensor-object.h"

namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  using namespace pt2;
  pinModule();
  countCpuMemory();
  keepFreedMemory();
  env.SetInstanceData(new Instance(env));
  const auto add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  add("info", entry<info>);
  add("setThreads", entry<setThreads>);
  add("setConcurrency", entry<setConcurrency>);
  add("setFlags", entry<setFlags>);
  add("manualSeed", entry<manualSeed>);
  add("loadLibrary", entry<loadLibrary>);
  add("operators", entry<operators>);
  add("schema", entry<schema>);
  add("hasKernel", entry<hasKernel>);
  add("refusal", entry<refusal>);
  add("mapFile", entry<mapFile>);
  add("storage", entry<storage>);
  add("tensor", entry<tensor>);
  add("callSync", entry<callSync>);
  add("call", entry<call>);
  add("compile", entry<compile>);
  add("loadAoti", entry<loadAoti>);
  add("memory", entry<memory>);
  return exports;
}

}  // namespace

NODE_API_MODULE(pt2_libtorch, init)
