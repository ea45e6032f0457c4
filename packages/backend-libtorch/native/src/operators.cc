// Answers questions about the dispatcher's ops: their names, schemas and kernels.
#include "operators.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <optional>
#include <string>

#include "check.h"
#include "device.h"
#include "plan/args/refused-ops.h"

namespace pt2 {
namespace {

using c10::DispatchKey;

// A kernel under one of these keys serves every device.
constexpr DispatchKey kComposite[] = {
    DispatchKey::CompositeImplicitAutograd,
    DispatchKey::CompositeExplicitAutograd,
    DispatchKey::CompositeExplicitAutogradNonFunctional,
};

// An op that has a kernel but no schema cannot be called by schema.
std::optional<c10::OperatorHandle> find(const std::string& op) {
  const size_t dot = op.find('.');
  return c10::Dispatcher::singleton().findSchema(
      {op.substr(0, dot), dot == std::string::npos ? std::string() : op.substr(dot + 1)});
}

}  // namespace

Napi::Value operators(const Napi::CallbackInfo& info) {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (c10::Dispatcher::singleton().findSchema(name)) names.push_back(c10::toString(name));
  }
  std::sort(names.begin(), names.end());
  Napi::Array array = Napi::Array::New(info.Env(), names.size());
  for (uint32_t i = 0; i < names.size(); ++i) array.Set(i, names[i]);
  return array;
}

Napi::Value schema(const Napi::CallbackInfo& info) {
  const auto op = find(readString(info[0], "op"));
  return op ? Napi::Value(Napi::String::New(info.Env(), c10::toString(op->schema()))) : info.Env().Null();
}

Napi::Value hasKernel(const Napi::CallbackInfo& info) {
  const auto op = find(readString(info[0], "op"));
  const c10::Device device = parseDevice(readString(info[1], "device"));
  if (!op) return Napi::Boolean::New(info.Env(), false);
  const DispatchKey own = device.is_cpu() ? DispatchKey::CPU : DispatchKey::CUDA;
  const bool has = op->hasKernelForDispatchKey(own) ||
                   std::any_of(std::begin(kComposite), std::end(kComposite),
                               [&](DispatchKey key) { return op->hasKernelForDispatchKey(key); });
  return Napi::Boolean::New(info.Env(), has);
}

Napi::Value refusal(const Napi::CallbackInfo& info) {
  const char* reason = refusalOf(readString(info[0], "op"));
  return reason == nullptr ? info.Env().Null() : Napi::Value(Napi::String::New(info.Env(), reason));
}

}  // namespace pt2
