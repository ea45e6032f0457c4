// Gives JavaScript tensors, and their bytes on the host.
#include "tensor-object.h"

#include <c10/core/InferenceMode.h>

#include "check.h"
#include "device.h"
#include "dtype.h"
#include "host-bytes.h"
#include "instance.h"
#include "layout.h"
#include "storage-object.h"

namespace pt2 {
namespace {

Napi::Value toArray(Napi::Env env, c10::IntArrayRef values) {
  Napi::Array array = Napi::Array::New(env, values.size());
  for (uint32_t i = 0; i < values.size(); ++i) array.Set(i, static_cast<double>(values[i]));
  return array;
}

}  // namespace

Napi::Function TensorObject::define(Napi::Env env) {
  return Wrapped::define(env, {getter<&TensorObject::dtype>("dtype"), getter<&TensorObject::shape>("shape"),
                               getter<&TensorObject::strides>("strides"), getter<&TensorObject::device>("device"),
                               getter<&TensorObject::isLent>("isLent"), method<&TensorObject::bytes>("bytes"),
                               method<&TensorObject::read>("read"), method<&TensorObject::dispose>("dispose")});
}

Napi::Object TensorObject::make(Napi::Env env, at::Tensor tensor, int64_t reported) {
  return wrap(env, Instance::of(env).tensor, std::make_unique<TensorObject>(env, std::move(tensor), reported));
}

TensorObject::TensorObject(Napi::Env env, at::Tensor tensor, int64_t reported)
    : env_(env), tensor_(std::move(tensor)), reported_(0) {
  report(reported);
}

TensorObject::~TensorObject() { release(); }

void TensorObject::release() {
  tensor_.reset();
  report(0);
}

void TensorObject::report(int64_t bytes) {
  if (bytes != reported_) Napi::MemoryManagement::AdjustExternalMemory(env_, bytes - reported_);
  reported_ = bytes;
}

const at::Tensor& TensorObject::tensor() const {
  if (!tensor_.defined()) throw Failure("libtorch.disposed", "This tensor has been disposed.");
  return tensor_;
}

Napi::Value TensorObject::dtype(const Napi::CallbackInfo& info) {
  requirePlain(tensor());
  return Napi::String::New(info.Env(), dtypeName(tensor().scalar_type()));
}

Napi::Value TensorObject::shape(const Napi::CallbackInfo& info) {
  requirePlain(tensor());
  return toArray(info.Env(), tensor().sizes());
}

Napi::Value TensorObject::strides(const Napi::CallbackInfo& info) {
  requirePlain(tensor());
  return toArray(info.Env(), tensor().strides());
}

Napi::Value TensorObject::device(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), tensor().device().str());
}

Napi::Value TensorObject::bytes(const Napi::CallbackInfo& info) {
  const at::Tensor host = toHost(tensor());
  const Napi::Value array = shareBytes(info.Env(), host);
  is_lent_ = host.is_same(tensor()) && array.As<Napi::Uint8Array>().Data() == host.data_ptr();
  // V8 counts the memory of arrays by itself: counted twice, results would make it collect garbage twice as often.
  if (is_lent_) report(0);
  return array;
}

Napi::Value TensorObject::isLent(const Napi::CallbackInfo& info) { return Napi::Boolean::New(info.Env(), is_lent_); }

Napi::Value TensorObject::read(const Napi::CallbackInfo& info) {
  requirePlain(tensor());
  return post(
      info.Env(), *Instance::of(info.Env()).promises, [tensor = tensor()] { return toHost(tensor); },
      [](Napi::Env env, at::Tensor host) { return shareBytes(env, std::move(host)); });
}

Napi::Value TensorObject::dispose(const Napi::CallbackInfo& info) {
  release();
  return info.Env().Undefined();
}

Napi::Value tensor(const Napi::CallbackInfo& info) {
  const StorageObject& storage = StorageObject::get(info[0], "storage");
  const Layout layout = readLayout(info[1]);
  const c10::Device device = parseDevice(readString(info[2], "device"));
  const c10::InferenceMode inference;
  return TensorObject::make(info.Env(), toDevice(viewStorage(storage.storage(), layout), device), 0);
}

}  // namespace pt2
