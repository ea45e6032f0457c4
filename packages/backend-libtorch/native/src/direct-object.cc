// Gives JavaScript runs of fixed shapes on the calling thread: from bytes to bytes, without an object for each.
#include "direct-object.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <cstring>

#include "check.h"
#include "dtype.h"
#include "host-bytes.h"
#include "instance.h"
#include "layout.h"
#include "threads.h"
#include "value.h"

namespace pt2 {
namespace {

DirectObject::Expected readExpected(Napi::Value value) {
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

void copyOut(const at::Tensor& tensor, std::span<uint8_t> bytes) {
  if (bytes.empty()) return;
  const at::Tensor host = tensor.is_contiguous() && !tensor._is_zerotensor() && !tensor.is_neg() && !tensor.is_conj()
                              ? tensor
                              : toHost(tensor);
  std::memcpy(bytes.data(), host.const_data_ptr(), bytes.size());
}

}  // namespace

Napi::Function DirectObject::define(Napi::Env env) {
  return Wrapped::define(env, {method<&DirectObject::run>("run"), method<&DirectObject::dispose>("dispose")});
}

// run(alone, ...inputs, ...outputs)
Napi::Value DirectObject::run(const Napi::CallbackInfo& info) {
  if (!run_) throw Failure("libtorch.disposed", "This plan has been disposed.");
  const bool alone = readBool(info[0], "alone");
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const std::span<uint8_t> bytes = readSized(info[1 + i], inputs_[i].nbytes());
    if (!bytes.empty()) std::memcpy(inputs_[i].mutable_data_ptr(), bytes.data(), bytes.size());
  }
  const c10::InferenceMode inference;
  adoptThreads();
  Step step;
  {
    const OneThread one(alone);
    run_->rewind();
    step = run_->resume({});
  }
  if (!areExpected(step.values)) return fromIValues(info.Env(), step.values);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    copyOut(step.values[i].toTensor(), readSized(info[1 + inputs_.size() + i], outputs_[i].bytes));
  }
  return info.Env().Undefined();
}

bool DirectObject::areExpected(const std::vector<c10::IValue>& values) const {
  if (values.size() != outputs_.size()) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].isTensor()) return false;
    const at::Tensor& tensor = values[i].toTensor();
    if (!tensor.defined() || tensor.layout() != c10::kStrided || tensor.is_quantized() || !tensor.is_cpu())
      return false;
    if (tensor.scalar_type() != outputs_[i].dtype || tensor.sizes() != outputs_[i].shape) return false;
  }
  return true;
}

Napi::Value DirectObject::dispose(const Napi::CallbackInfo& info) {
  run_.reset();
  inputs_.clear();
  return info.Env().Undefined();
}

Napi::Value makeDirect(Napi::Env env, std::shared_ptr<Plan> plan, Napi::Value given, Napi::Value expected) {
  if (!runsDirectly(*plan)) return env.Null();
  std::vector<at::Tensor> inputs;
  std::vector<c10::IValue> values;
  const c10::InferenceMode inference;
  for (const DirectObject::Expected& input : readElements(readArray(given, "inputs"), readExpected)) {
    inputs.push_back(at::empty(input.shape, at::TensorOptions(input.dtype)));
    values.emplace_back(inputs.back());
  }
  std::vector<DirectObject::Expected> outputs = readElements(readArray(expected, "outputs"), readExpected);
  auto run = start(std::move(plan), std::move(values), {});
  return DirectObject::wrap(env, Instance::of(env).direct,
                            std::make_unique<DirectObject>(std::move(run), std::move(inputs), std::move(outputs)));
}

}  // namespace pt2
