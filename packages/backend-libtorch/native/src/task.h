// Work that is computed on the pool and answered by a promise.
#pragma once

#include <napi.h>

#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "failure.h"

namespace pt2 {

// Holds nothing of JavaScript: it may outlive the environment that posted it.
class Task {
 public:
  virtual ~Task() = default;
  virtual void compute() = 0;                     // on the pool
  virtual Napi::Value settle(Napi::Env env) = 0;  // on the environment's thread, when compute did not throw
  virtual void cancel() noexcept {}               // from any thread, before or during compute

 private:
  friend class Mailbox;
  friend class TaskJob;
  napi_deferred deferred_ = nullptr;
  std::optional<Failure> failure_;
};

// How the pool reaches one JavaScript environment. It keeps the event loop alive exactly while work is pending, and
// drops what comes after the environment's end.
class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  static std::shared_ptr<Mailbox> open(Napi::Env env);

  Napi::Promise post(Napi::Env env, std::unique_ptr<Task> task);

 private:
  friend class TaskJob;
  static void onDelivery(napi_env env, napi_value, void* self, void* task);
  void deliver(std::unique_ptr<Task> task);
  bool closed();
  void close();
  void settle(Napi::Env env, Task& task);

  std::mutex mutex_;
  std::unordered_set<Task*> running_;
  napi_threadsafe_function door_ = nullptr;  // null once closed
  size_t pending_ = 0;                       // on the environment's thread only
};

// Posts a function whose result another one converts.
template <class Compute, class Settle>
Napi::Promise post(Napi::Env env, Mailbox& mailbox, Compute compute, Settle settle) {
  class Posted final : public Task {
   public:
    Posted(Compute compute, Settle settle) : compute_(std::move(compute)), settle_(std::move(settle)) {}
    void compute() override { result_.emplace(compute_()); }
    Napi::Value settle(Napi::Env env) override { return settle_(env, std::move(*result_)); }

   private:
    Compute compute_;
    Settle settle_;
    std::optional<std::invoke_result_t<Compute&>> result_;
  };
  return mailbox.post(env, std::make_unique<Posted>(std::move(compute), std::move(settle)));
}

}  // namespace pt2
