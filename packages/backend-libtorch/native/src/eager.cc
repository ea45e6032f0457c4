// Calls single ops for JavaScript.
#include "eager.h"

#include <c10/core/InferenceMode.h>

#include <string>
#include <vector>

#include "check.h"
#include "device.h"
#include "instance.h"
#include "plan/call.h"
#include "plan/parse.h"
#include "threads.h"
#include "value.h"

namespace pt2 {
namespace {

using Values = std::vector<c10::IValue>;

struct Call {
  std::string op;
  std::vector<NamedArg> args;
};

Call readCall(const Napi::CallbackInfo& info) {
  return {readString(info[0], "op"), parseArgs(readArray(info[1], "args"))};
}

// Returns the first device other than the CPU among the tensors and devices of an argument, else the CPU.
c10::Device deviceOf(const ArgSource& arg) {
  if (arg.kind == ArgSource::Kind::Tensor) return arg.tensor.device();
  if (arg.kind == ArgSource::Kind::Device) return parseDevice(arg.text);
  for (const ArgSource& item : arg.items) {
    const c10::Device device = deviceOf(item);
    if (!device.is_cpu()) return device;
  }
  return c10::Device(c10::kCPU);
}

c10::Device deviceOf(const Call& call) {
  for (const NamedArg& arg : call.args) {
    const c10::Device device = deviceOf(arg.arg);
    if (!device.is_cpu()) return device;
  }
  return c10::Device(c10::kCPU);
}

Values run(Call call) {
  const c10::InferenceMode inference;
  adoptThreads();
  const StreamLease lease(deviceOf(call));
  StreamLease::Scope stream(lease);
  Values values = callOp(call.op, call.args);
  stream.synchronize();
  return values;
}

}  // namespace

Napi::Value callSync(const Napi::CallbackInfo& info) { return fromIValues(info.Env(), run(readCall(info))); }

Napi::Value call(const Napi::CallbackInfo& info) {
  return post(
      info.Env(), *Instance::of(info.Env()).promises,
      [call = readCall(info)]() mutable { return run(std::move(call)); },
      [](Napi::Env env, const Values& values) { return fromIValues(env, values); });
}

}  // namespace pt2
