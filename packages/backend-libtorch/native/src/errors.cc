// Turns exceptions of C++ and libtorch into coded failures, and those into errors of JavaScript.
#include "errors.h"

#include <c10/util/Exception.h>

#include <new>
#include <string>
#include <string_view>

#include "device.h"

namespace pt2 {
namespace {

// libtorch reports a failed CPU allocation only in the message.
bool isOutOfMemory(std::string_view message) {
  return message.find("not enough memory") != std::string_view::npos ||
         message.find("can't allocate memory") != std::string_view::npos;
}

// Errors after which CUDA does nothing more in this process, by the words of its runtime.
constexpr std::string_view kLost[] = {
    "device-side assert triggered", "an illegal memory access was encountered", "unspecified launch failure",
    "misaligned address",           "an illegal instruction was encountered",   "uncorrectable ECC error"};

bool isLost(std::string_view message) {
  for (const std::string_view words : kLost) {
    if (message.find(words) != std::string_view::npos) return true;
  }
  return false;
}

// What CUDA's runtime adds to its errors speaks of how to debug kernels.
std::string firstLine(std::string_view message) { return std::string(message.substr(0, message.find('\n'))); }

Failure fromLibtorch(const char* message) {
  if (isLost(message)) {
    loseDevice();
    return {"libtorch.device-lost", firstLine(message)};
  }
  return {isOutOfMemory(message) ? "libtorch.out-of-memory" : "libtorch.op-failed", message};
}

// Some of libtorch's exceptions carry the C++ stack in their text.
std::string withoutBacktrace(const std::string& message) {
  return message.substr(0, message.find("\nException raised from "));
}

}  // namespace

Failure toFailure(std::exception_ptr error) noexcept {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const Failure& failure) {
    return failure;
  } catch (const c10::OutOfMemoryError& failure) {
    return {"libtorch.out-of-memory", failure.what_without_backtrace()};
  } catch (const c10::Error& failure) {
    return fromLibtorch(failure.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return {"libtorch.out-of-memory", "The process is out of memory."};
  } catch (const std::exception& failure) {
    return {"libtorch.op-failed", withoutBacktrace(failure.what())};
  } catch (...) {
    return {"libtorch.op-failed", "libtorch threw something that is not an exception."};
  }
}

Napi::Error toError(Napi::Env env, const Failure& failure) {
  Napi::Error error = Napi::Error::New(env, failure.what());
  Napi::Object fields = error.Value();
  fields.Set("code", failure.code);
  if (failure.graph.has_value()) fields.Set("graph", static_cast<double>(*failure.graph));
  if (failure.node.has_value()) fields.Set("node", static_cast<double>(*failure.node));
  if (!failure.arg.empty()) fields.Set("arg", failure.arg);
  return error;
}

}  // namespace pt2
