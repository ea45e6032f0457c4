// Gives JavaScript storages: memory that tensors view.
#include "storage-object.h"

#include <c10/core/CPUAllocator.h>

#include <cstring>

#include "check.h"
#include "failure.h"
#include "instance.h"

namespace pt2 {
namespace {

// The widest element, a complex128, needs this alignment.
constexpr uintptr_t kAlignment = 16;

void releaseOwner(void* owner) { delete static_cast<std::shared_ptr<void>*>(owner); }

}  // namespace

c10::Storage copiedStorage(std::span<const uint8_t> bytes) {
  c10::Storage storage(c10::Storage::use_byte_size_t(), static_cast<int64_t>(bytes.size()), c10::GetCPUAllocator(),
                       /*resizable=*/false);
  if (!bytes.empty()) std::memcpy(storage.mutable_data(), bytes.data(), bytes.size());
  return storage;
}

c10::Storage ownedStorage(std::shared_ptr<void> owner, std::span<uint8_t> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment != 0) return copiedStorage(bytes);
  auto context = std::make_unique<std::shared_ptr<void>>(std::move(owner));
  at::DataPtr data(bytes.data(), context.get(), releaseOwner, c10::Device(c10::kCPU));
  static_cast<void>(context.release());
  return c10::Storage(c10::Storage::use_byte_size_t(), bytes.size(), std::move(data), /*allocator=*/nullptr,
                      /*resizable=*/false);
}

Napi::Function StorageObject::define(Napi::Env env) {
  return Wrapped::define(
      env, {getter<&StorageObject::byteLength>("byteLength"), method<&StorageObject::dispose>("dispose")});
}

Napi::Object StorageObject::make(Napi::Env env, c10::Storage storage) {
  return wrap(env, Instance::of(env).storage, std::make_unique<StorageObject>(std::move(storage)));
}

const c10::Storage& StorageObject::storage() const {
  if (!storage_) throw Failure("libtorch.disposed", "This storage has been disposed.");
  return storage_;
}

Napi::Value StorageObject::byteLength(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(storage().nbytes()));
}

Napi::Value StorageObject::dispose(const Napi::CallbackInfo& info) {
  storage_ = c10::Storage();
  return info.Env().Undefined();
}

Napi::Value storage(const Napi::CallbackInfo& info) {
  return StorageObject::make(info.Env(), copiedStorage(readBytes(info[0], "bytes")));
}

}  // namespace pt2
