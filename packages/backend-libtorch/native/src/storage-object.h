// NativeStorage of src/addon.ts.
#pragma once

#include <c10/core/Storage.h>

#include <memory>
#include <span>

#include "mapping.h"
#include "wrapped.h"

namespace pt2 {

// Makes a storage over bytes that `owner` keeps alive; a copy where the address is not aligned for every dtype.
c10::Storage ownedStorage(std::shared_ptr<void> owner, std::span<uint8_t> bytes);
c10::Storage copiedStorage(std::span<const uint8_t> bytes);

class StorageObject : public Wrapped<StorageObject> {
 public:
  static constexpr const char* kName = "NativeStorage";
  static constexpr napi_type_tag kTag = {0x1e8c37f04d5b4a96, 0xb3820c6f91e7d5a4};

  static Napi::Function define(Napi::Env env);
  static Napi::Object make(Napi::Env env, c10::Storage storage);

  explicit StorageObject(c10::Storage storage) : storage_(std::move(storage)) {}

  // All tensors of this object share one storage, so that overlapping ones share writes.
  // Throws Failure `libtorch.disposed` after `dispose`.
  const c10::Storage& storage() const;

 private:
  Napi::Value byteLength(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);

  c10::Storage storage_;  // null once disposed
};

// addon.storage(bytes)
Napi::Value storage(const Napi::CallbackInfo& info);

}  // namespace pt2
