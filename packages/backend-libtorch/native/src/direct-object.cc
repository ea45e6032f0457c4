// Gives JavaScript runs of fixed shapes, from bytes to bytes, without an object for each.
#include "direct-object.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <chrono>
#include <cstring>

#include "check.h"
#include "dtype.h"
#include "host-bytes.h"
#include "instance.h"
#include "layout.h"
#include "task.h"
#include "threads.h"
#include "value.h"

namespace pt2 {
namespace {

DirectRun::Expected readExpected(Napi::Value value) {
  const Napi::Object object = readObject(value, "a layout");
  const Layout layout = contiguousLayout(parseDtype(readString(object.Get("dtype"), "dtype")),
                                         readIntegers(object.Get("shape"), "shape", 0));
  return {layout.dtype, layout.shape, extentBytes(layout)};
}

std::span<uint8_t> readSized(Napi::Value value, size_t size) {
  const std::span<uint8_t> bytes = readBytes(value, "bytes");
  if (bytes.size() != size) refuse("bytes", "as many as dtype and shape say");
  return bytes;
}

// Reads the bytes of all inputs, which are the arguments from `first` on.
void copyIn(const Napi::CallbackInfo& info, size_t first, const std::vector<at::Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::span<uint8_t> bytes = readSized(info[first + i], inputs[i].nbytes());
    if (!bytes.empty()) std::memcpy(inputs[i].mutable_data_ptr(), bytes.data(), bytes.size());
  }
}

// Returns the same elements, row-major: the tensor itself where it is so already.
at::Tensor rowMajor(const at::Tensor& tensor) {
  const bool isPlain = tensor.is_contiguous() && !tensor._is_zerotensor() && !tensor.is_neg() && !tensor.is_conj();
  return isPlain ? tensor : toHost(tensor);
}

void copyOut(const at::Tensor& tensor, std::span<uint8_t> bytes) {
  if (bytes.empty()) return;
  const at::Tensor host = rowMajor(tensor);
  std::memcpy(bytes.data(), host.const_data_ptr(), bytes.size());
}

bool areExpected(const std::vector<c10::IValue>& values, const std::vector<DirectRun::Expected>& outputs) {
  if (values.size() != outputs.size()) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].isTensor()) return false;
    const at::Tensor& tensor = values[i].toTensor();
    if (!tensor.defined() || tensor.layout() != c10::kStrided || tensor.is_quantized() || !tensor.is_cpu())
      return false;
    if (tensor.scalar_type() != outputs[i].dtype || tensor.sizes() != outputs[i].shape) return false;
  }
  return true;
}

// A run on the pool. Until its promise is settled nothing else may write to the inputs, which results may be views of.
class DirectTask final : public PromiseTask {
 public:
  explicit DirectTask(std::shared_ptr<DirectRun> run) : run_(std::move(run)) { run_->posted = true; }
  ~DirectTask() override { run_->posted = false; }
  DirectTask(const DirectTask&) = delete;
  DirectTask& operator=(const DirectTask&) = delete;

  void compute() override {
    const auto begin = std::chrono::steady_clock::now();
    run_->run->rewind();
    values_ = run_->run->resume({}).values;
    ns_ = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
    areExpected_ = areExpected(values_, run_->outputs);
    if (!areExpected_) return;
    for (c10::IValue& value : values_) value = rowMajor(value.toTensor());
  }

  Napi::Value settle(Napi::Env env) override {
    Napi::Object done = Napi::Object::New(env);
    done.Set("ns", static_cast<double>(ns_));
    if (!areExpected_) {
      done.Set("values", fromIValues(env, values_));
      return done;
    }
    Napi::Array memory = Napi::Array::New(env, values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      Napi::Uint8Array bytes = Napi::Uint8Array::New(env, run_->outputs[i].bytes);
      copyOut(values_[i].toTensor(), {bytes.Data(), bytes.ByteLength()});
      memory.Set(static_cast<uint32_t>(i), bytes);
    }
    done.Set("memory", memory);
    return done;
  }

  void cancel() noexcept override { run_->run->cancel(); }

 private:
  std::shared_ptr<DirectRun> run_;
  std::vector<c10::IValue> values_;
  bool areExpected_ = false;
  int64_t ns_ = 0;
};

}  // namespace

Napi::Function DirectObject::define(Napi::Env env) {
  return Wrapped::define(env, {method<&DirectObject::run>("run"), method<&DirectObject::post>("post"),
                               method<&DirectObject::dispose>("dispose")});
}

DirectRun& DirectObject::idle() const {
  if (!run_) throw Failure("libtorch.disposed", "This plan has been disposed.");
  if (run_->posted) throw Failure("libtorch.busy", "This run is under way; it can begin again when it has answered.");
  return *run_;
}

// run(alone, ...inputs, ...outputs)
Napi::Value DirectObject::run(const Napi::CallbackInfo& info) {
  DirectRun& direct = idle();
  const bool alone = readBool(info[0], "alone");
  copyIn(info, 1, direct.inputs);
  const c10::InferenceMode inference;
  adoptThreads();
  Step step;
  {
    const OneThread one(alone);
    direct.run->rewind();
    step = direct.run->resume({});
  }
  if (!areExpected(step.values, direct.outputs)) return fromIValues(info.Env(), step.values);
  for (size_t i = 0; i < direct.outputs.size(); ++i) {
    copyOut(step.values[i].toTensor(), readSized(info[1 + direct.inputs.size() + i], direct.outputs[i].bytes));
  }
  return info.Env().Undefined();
}

// post(...inputs)
Napi::Value DirectObject::post(const Napi::CallbackInfo& info) {
  copyIn(info, 0, idle().inputs);
  return Instance::of(info.Env()).promises->post(info.Env(), std::make_unique<DirectTask>(run_));
}

Napi::Value DirectObject::dispose(const Napi::CallbackInfo& info) {
  run_.reset();
  return info.Env().Undefined();
}

Napi::Value makeDirect(Napi::Env env, std::shared_ptr<Plan> plan, Napi::Value given, Napi::Value expected) {
  if (!runsDirectly(*plan)) return env.Null();
  std::vector<at::Tensor> inputs;
  std::vector<c10::IValue> values;
  const c10::InferenceMode inference;
  for (const DirectRun::Expected& input : readElements(readArray(given, "inputs"), readExpected)) {
    inputs.push_back(at::empty(input.shape, at::TensorOptions(input.dtype)));
    values.emplace_back(inputs.back());
  }
  return DirectObject::wrap(
      env, Instance::of(env).direct,
      std::make_unique<DirectObject>(DirectRun{.run = start(std::move(plan), std::move(values), {}),
                                               .inputs = std::move(inputs),
                                               .outputs = readElements(readArray(expected, "outputs"), readExpected)}));
}

}  // namespace pt2
