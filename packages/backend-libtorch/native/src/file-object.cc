// Gives JavaScript files of weights that are mapped into memory.
#include "file-object.h"

#include "check.h"
#include "instance.h"
#include "storage-object.h"

namespace pt2 {

Napi::Function FileObject::define(Napi::Env env) {
  return Wrapped::define(env, {getter<&FileObject::size>("size"), method<&FileObject::storage>("storage")});
}

Napi::Object FileObject::make(Napi::Env env, std::shared_ptr<Mapping> mapping) {
  return wrap(env, Instance::of(env).file, std::make_unique<FileObject>(std::move(mapping)));
}

Napi::Value FileObject::size(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(mapping_->size()));
}

Napi::Value FileObject::storage(const Napi::CallbackInfo& info) {
  const auto offset = static_cast<uint64_t>(readInteger(info[0], "offset", 0));
  const auto length = static_cast<uint64_t>(readInteger(info[1], "length", 0));
  if (offset > mapping_->size() || length > mapping_->size() - offset) refuse("offset and length", "inside the file");
  return StorageObject::make(info.Env(), ownedStorage(mapping_, {mapping_->data() + offset, length}));
}

Napi::Value mapFile(const Napi::CallbackInfo& info) {
  return FileObject::make(info.Env(), Mapping::open(readString(info[0], "path")));
}

}  // namespace pt2
