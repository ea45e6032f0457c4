// C++ objects behind JavaScript ones. Only C++ makes them, and an object of another class is never taken for one,
// whatever JavaScript does to prototypes and receivers.
#pragma once

#include <napi.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "errors.h"

namespace pt2 {

// T defines `static constexpr const char* kName` and `static constexpr napi_type_tag kTag`.
template <class T>
class Wrapped {
 public:
  using Method = Napi::Value (T::*)(const Napi::CallbackInfo&);

  static Napi::Object wrap(Napi::Env env, const Napi::FunctionReference& constructor, std::unique_ptr<T> self) {
    making() = true;
    const Napi::Object object = constructor.New({});
    const napi_status wrapped = napi_wrap(env, object, self.get(), finalize, nullptr, nullptr);
    if (wrapped != napi_ok) throw Napi::Error::New(env);
    static_cast<void>(self.release());
    object.TypeTag(&T::kTag);
    return object;
  }

  // Returns the C++ side of an object, or null for any other value.
  static T* find(Napi::Value value) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&T::kTag)) return nullptr;
    void* self = nullptr;
    napi_unwrap(value.Env(), value, &self);
    return static_cast<T*>(self);
  }

  static T& get(Napi::Value value, const char* what) {
    if (T* found = find(value)) return *found;
    throw Failure("libtorch.argument", std::string(what) + " must be a " + T::kName + ".");
  }

 protected:
  static Napi::Function define(Napi::Env env, const std::vector<napi_property_descriptor>& members) {
    napi_value constructor = nullptr;
    const napi_status defined = napi_define_class(env, T::kName, NAPI_AUTO_LENGTH, construct, nullptr, members.size(),
                                                  members.data(), &constructor);
    if (defined != napi_ok) throw Napi::Error::New(env);
    return Napi::Function(env, constructor);
  }

  template <Method M>
  static napi_property_descriptor method(const char* name) {
    return {name, nullptr, call<M>, nullptr, nullptr, nullptr, napi_default_method, nullptr};
  }

  template <Method M>
  static napi_property_descriptor getter(const char* name) {
    return {name, nullptr, nullptr, call<M>, nullptr, nullptr, napi_configurable, nullptr};
  }

 private:
  friend T;
  Wrapped() = default;

  // This is set while `wrap` constructs, so that `new` in JavaScript is refused.
  static bool& making() {
    thread_local bool value = false;
    return value;
  }

  static napi_value construct(napi_env env, napi_callback_info info) {
    if (!making()) {
      napi_throw_type_error(env, "libtorch.argument", (std::string(T::kName) + " has no public constructor.").c_str());
      return nullptr;
    }
    making() = false;
    return Napi::CallbackInfo(env, info).This();
  }

  template <Method M>
  static napi_value call(napi_env env, napi_callback_info raw) {
    try {
      const Napi::CallbackInfo info(env, raw);
      return guarded(info.Env(), [&] { return (get(info.This(), "this").*M)(info); });
    } catch (const Napi::Error& error) {
      error.ThrowAsJavaScriptException();
      return nullptr;
    }
  }

  static void finalize(napi_env, void* self, void*) { delete static_cast<T*>(self); }
};

}  // namespace pt2
