// Gives JavaScript the steps of a run, computed on the pool or on the calling thread.
#include "run-object.h"

#include "instance.h"
#include "value.h"

namespace pt2 {
namespace {

class ResumeTask final : public PromiseTask {
 public:
  ResumeTask(std::shared_ptr<RunState> state, std::vector<c10::IValue> results)
      : state_(std::move(state)), results_(std::move(results)) {}

  void compute() override { step_ = state_->resume(std::move(results_)); }
  Napi::Value settle(Napi::Env env) override { return fromStep(env, step_); }
  void cancel() noexcept override { state_->cancel(); }

 private:
  std::shared_ptr<RunState> state_;
  std::vector<c10::IValue> results_;
  Step step_;
};

Napi::Value fromProfile(Napi::Env env, const Profile& profile) {
  Napi::Float64Array steps = Napi::Float64Array::New(env, profile.steps.size() * 4);
  double* next = steps.Data();
  for (const StepTime& step : profile.steps) {
    *next++ = static_cast<double>(step.graph);
    *next++ = static_cast<double>(step.node);
    *next++ = static_cast<double>(step.startNs);
    *next++ = static_cast<double>(step.durationNs);
  }
  Napi::Object object = Napi::Object::New(env);
  object.Set("steps", steps);
  object.Set("totalNs", static_cast<double>(profile.totalNs));
  object.Set("peakBytes", static_cast<double>(profile.peakBytes));
  object.Set("beginnings", static_cast<double>(profile.beginnings));
  return object;
}

Napi::Value fromWritten(Napi::Env env, const std::vector<std::pair<size_t, at::Tensor>>& written) {
  Napi::Array array = Napi::Array::New(env, written.size());
  uint32_t i = 0;
  for (const auto& [input, tensor] : written) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("input", static_cast<double>(input));
    entry.Set("tensor", fromTensor(env, tensor));
    array.Set(i++, entry);
  }
  return array;
}

}  // namespace

Napi::Value fromStep(Napi::Env env, const Step& step) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("ns", static_cast<double>(step.ns));
  if (step.kind == Step::Kind::Done) {
    object.Set("kind", "done");
    object.Set("outputs", fromResults(env, step.values));
    object.Set("written", fromWritten(env, step.written));
    object.Set("profile", step.profile ? fromProfile(env, *step.profile) : env.Null());
  } else {
    const bool host = step.kind == Step::Kind::Host;
    object.Set("kind", host ? "host" : "node");
    object.Set("graph", static_cast<double>(step.graph));
    object.Set("node", static_cast<double>(step.node));
    object.Set(host ? "args" : "outputs", fromIValues(env, step.values));
  }
  return object;
}

Napi::Function RunObject::define(Napi::Env env) {
  return Wrapped::define(env, {method<&RunObject::resume>("resume"), method<&RunObject::resumeSync>("resumeSync"),
                               method<&RunObject::cancel>("cancel")});
}

Napi::Object RunObject::make(Napi::Env env, std::shared_ptr<RunState> state) {
  return wrap(env, Instance::of(env).run, std::make_unique<RunObject>(std::move(state)));
}

Napi::Value RunObject::resume(const Napi::CallbackInfo& info) {
  std::vector<c10::IValue> results = toIValues(info[0], "results");
  state_->claim();
  try {
    return Instance::of(info.Env())
        .promises->post(info.Env(), std::make_unique<ResumeTask>(state_, std::move(results)));
  } catch (...) {
    state_->unclaim();
    throw;
  }
}

Napi::Value RunObject::resumeSync(const Napi::CallbackInfo& info) {
  std::vector<c10::IValue> results = toIValues(info[0], "results");
  state_->claim();
  return fromStep(info.Env(), state_->resume(std::move(results)));
}

Napi::Value RunObject::cancel(const Napi::CallbackInfo& info) {
  state_->cancel();
  state_->undo();
  return info.Env().Undefined();
}

}  // namespace pt2
