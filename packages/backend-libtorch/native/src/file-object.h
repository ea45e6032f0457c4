// NativeFile of src/addon.ts.
#pragma once

#include <memory>

#include "mapping.h"
#include "wrapped.h"

namespace pt2 {

class FileObject : public Wrapped<FileObject> {
 public:
  static constexpr const char* kName = "NativeFile";
  static constexpr napi_type_tag kTag = {0xc2e94f1b7a304d58, 0x8d15b7e06a3f92cc};

  static Napi::Function define(Napi::Env env);
  static Napi::Object make(Napi::Env env, std::shared_ptr<Mapping> mapping);

  explicit FileObject(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}

 private:
  Napi::Value size(const Napi::CallbackInfo& info);
  Napi::Value storage(const Napi::CallbackInfo& info);

  std::shared_ptr<Mapping> mapping_;
};

// addon.mapFile(path)
Napi::Value mapFile(const Napi::CallbackInfo& info);

}  // namespace pt2
