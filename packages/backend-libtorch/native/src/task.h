// Tasks that the pool computes and a promise answers.
#pragma once

#include <napi.h>

#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "failure.h"
#include "pool.h"

namespace pt2 {

class Promises;

// A task holds no JavaScript values: it may outlive the environment that posted it.
class PromiseTask : public Task {
 public:
  virtual void compute() = 0;                     // on the pool
  virtual Napi::Value settle(Napi::Env env) = 0;  // on the environment's thread, when compute did not throw
  virtual void cancel() noexcept {}               // from any thread, before or during compute

  void run(std::unique_ptr<Task> self) noexcept final;

 private:
  friend class Promises;
  std::shared_ptr<Promises> promises_;
  napi_deferred deferred_ = nullptr;
  std::optional<Failure> failure_;
};

// The pending promises of one JavaScript environment. They keep its event loop alive; results that arrive after the
// environment's end are dropped.
class Promises : public std::enable_shared_from_this<Promises> {
 public:
  static std::shared_ptr<Promises> open(Napi::Env env);

  Napi::Promise post(Napi::Env env, std::unique_ptr<PromiseTask> task);

 private:
  friend class PromiseTask;
  static void onDelivery(napi_env env, napi_value, void* self, void* task);
  void deliver(std::unique_ptr<PromiseTask> task);
  bool closed();
  void close();
  void settle(Napi::Env env, PromiseTask& task);

  std::mutex mutex_;
  std::unordered_set<PromiseTask*> running_;
  napi_threadsafe_function deliver_ = nullptr;  // calls onDelivery on the environment's thread; null once closed
  size_t pending_ = 0;                          // on the environment's thread only
};

// Posts a function and converts its result with another one.
template <class Compute, class Settle>
Napi::Promise post(Napi::Env env, Promises& promises, Compute compute, Settle settle) {
  class FunctionTask final : public PromiseTask {
   public:
    FunctionTask(Compute compute, Settle settle) : compute_(std::move(compute)), settle_(std::move(settle)) {}
    void compute() override { result_.emplace(compute_()); }
    Napi::Value settle(Napi::Env env) override { return settle_(env, std::move(*result_)); }

   private:
    Compute compute_;
    Settle settle_;
    std::optional<std::invoke_result_t<Compute&>> result_;
  };
  return promises.post(env, std::make_unique<FunctionTask>(std::move(compute), std::move(settle)));
}

}  // namespace pt2
