// Gives JavaScript plans: it compiles, binds and runs them.
#include "plan-object.h"

#include "capture-object.h"
#include "check.h"
#include "direct-object.h"
#include "inputs.h"
#include "instance.h"
#include "plan/parse.h"
#include "run-object.h"
#include "tensor-object.h"

namespace pt2 {
namespace {

RunOptions readOptions(Napi::Value value) {
  const Napi::Object options = readObject(value, "options");
  const Napi::Value step = options.Get("step");
  return {readBool(options.Get("profile"), "options.profile"), !step.IsUndefined() && readBool(step, "options.step")};
}

}  // namespace

Napi::Function PlanObject::define(Napi::Env env) {
  return Wrapped::define(env, {method<&PlanObject::bind>("bind"), method<&PlanObject::start>("start"),
                               method<&PlanObject::runSync>("runSync"), method<&PlanObject::direct>("direct"),
                               method<&PlanObject::capture>("capture"), method<&PlanObject::boundBytes>("boundBytes"),
                               method<&PlanObject::dispose>("dispose")});
}

const std::shared_ptr<Plan>& PlanObject::plan() const {
  if (!plan_) throw Failure("libtorch.disposed", "This plan has been disposed.");
  return plan_;
}

Napi::Value PlanObject::bind(const Napi::CallbackInfo& info) {
  const auto input = static_cast<size_t>(readInteger(info[0], "input", 0));
  pt2::bind(*plan(), input, TensorObject::get(info[1], "tensor").tensor());
  return info.Env().Undefined();
}

Napi::Value PlanObject::start(const Napi::CallbackInfo& info) {
  const RunOptions options = readOptions(info[1]);
  std::vector<c10::IValue> inputs = readInputs(info[0], device_, nullptr);
  return RunObject::make(info.Env(),
                         std::make_shared<RunState>(pt2::start(plan(), std::move(inputs), options), device_));
}

Napi::Value PlanObject::runSync(const Napi::CallbackInfo& info) {
  const RunOptions options = readOptions(info[1]);
  std::shared_ptr<RunState> state;
  Step step;
  {
    Borrow borrow;  // ends before JavaScript runs again
    std::vector<c10::IValue> inputs = readInputs(info[0], device_, &borrow);
    state = std::make_shared<RunState>(pt2::start(plan(), std::move(inputs), options), device_);
    state->claim();
    step = state->resume({});
  }
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("step", fromStep(info.Env(), step));
  result.Set("run", step.kind == Step::Kind::Done ? info.Env().Null() : RunObject::make(info.Env(), std::move(state)));
  return result;
}

Napi::Value PlanObject::direct(const Napi::CallbackInfo& info) {
  return makeDirect(info.Env(), plan(), info[0], info[1]);
}

Napi::Value PlanObject::capture(const Napi::CallbackInfo& info) {
  return postCapture(info.Env(), plan(), readInputs(info[0], device_, nullptr), device_);
}

Napi::Value PlanObject::boundBytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(pt2::boundBytes(*plan())));
}

Napi::Value PlanObject::dispose(const Napi::CallbackInfo& info) {
  plan_.reset();
  return info.Env().Undefined();
}

Napi::Value compile(const Napi::CallbackInfo& info) {
  PlanSource source = parsePlan(readObject(info[0], "plan"));
  std::vector<at::Tensor> bound = readElements(readArray(info[1], "bound"), [](Napi::Value tensor) {
    return tensor.IsNull() ? at::Tensor() : TensorObject::get(tensor, "bound").tensor();
  });
  const c10::Device device = source.device;
  return PlanObject::wrap(info.Env(), Instance::of(info.Env()).plan,
                          std::make_unique<PlanObject>(pt2::compile(std::move(source), std::move(bound)), device));
}

}  // namespace pt2
