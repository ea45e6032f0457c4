// Converts C++ exceptions to what JavaScript sees: an Error with `code`, and `graph`, `node`, `arg` where they are
// known.
#pragma once

#include <napi.h>

#include <exception>
#include <utility>

#include "failure.h"

namespace pt2 {

// Converts any exception; libtorch's own become `libtorch.op-failed` or `libtorch.out-of-memory`.
Failure toFailure(std::exception_ptr error) noexcept;

Napi::Error toError(Napi::Env env, const Failure& failure);

// Every call from JavaScript goes through this function: only Napi::Error leaves it.
template <class F>
auto guarded(Napi::Env env, F&& body) -> decltype(body()) {
  try {
    return std::forward<F>(body)();
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    throw toError(env, toFailure(std::current_exception()));
  }
}

// Makes a function of the module from a C++ function.
template <Napi::Value (*F)(const Napi::CallbackInfo&)>
Napi::Value entry(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return F(info); });
}

}  // namespace pt2
