// Computes tasks on the pool, and resolves or rejects their promises on the thread of the environment that posted them.
#include "task.h"

#include "errors.h"

namespace pt2 {

void PromiseTask::run(std::unique_ptr<Task> self) noexcept {
  const std::shared_ptr<Promises> promises = std::move(promises_);
  if (promises->closed()) return;
  try {
    compute();
  } catch (...) {
    failure_ = toFailure(std::current_exception());
  }
  promises->deliver(std::unique_ptr<PromiseTask>(static_cast<PromiseTask*>(self.release())));
}

std::shared_ptr<Promises> Promises::open(Napi::Env env) {
  auto promises = std::make_shared<Promises>();
  const Napi::String name = Napi::String::New(env, "pt2");
  const napi_status status = napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr,
                                                             promises.get(), onDelivery, &promises->deliver_);
  if (status != napi_ok) throw Napi::Error::New(env);
  napi_unref_threadsafe_function(env, promises->deliver_);
  // Hooks run in reverse order: this one runs before Node removes the function above, which the pool's threads call.
  env.AddCleanupHook([promises] { promises->close(); });
  return promises;
}

Napi::Promise Promises::post(Napi::Env env, std::unique_ptr<PromiseTask> task) {
  napi_value promise = nullptr;
  if (napi_create_promise(env, &task->deferred_, &promise) != napi_ok) throw Napi::Error::New(env);
  PromiseTask* posted = task.get();
  task->promises_ = shared_from_this();
  std::unique_ptr<Task> submitted = std::move(task);
  {
    const std::lock_guard lock(mutex_);
    running_.insert(posted);
  }
  try {
    Pool::get().submit(submitted);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    running_.erase(posted);
    throw;
  }
  if (pending_++ == 0) napi_ref_threadsafe_function(env, deliver_);
  return Napi::Promise(env, promise);
}

bool Promises::closed() {
  const std::lock_guard lock(mutex_);
  return deliver_ == nullptr;
}

void Promises::deliver(std::unique_ptr<PromiseTask> task) {
  const std::lock_guard lock(mutex_);
  running_.erase(task.get());
  if (deliver_ == nullptr) return;
  // The call fails only when the function is closing, and `close` runs before that.
  if (napi_call_threadsafe_function(deliver_, task.get(), napi_tsfn_nonblocking) == napi_ok) {
    static_cast<void>(task.release());
  }
}

void Promises::close() {
  const std::lock_guard lock(mutex_);
  deliver_ = nullptr;
  for (PromiseTask* task : running_) task->cancel();
}

void Promises::onDelivery(napi_env env, napi_value, void* self, void* data) {
  const std::unique_ptr<PromiseTask> task(static_cast<PromiseTask*>(data));
  if (env == nullptr) return;  // the environment has ended with this task still in the queue
  static_cast<Promises*>(self)->settle(Napi::Env(env), *task);
}

void Promises::settle(Napi::Env env, PromiseTask& task) {
  const Napi::HandleScope scope(env);
  if (--pending_ == 0) napi_unref_threadsafe_function(env, deliver_);
  napi_value rejection = nullptr;
  try {
    if (task.failure_) {
      rejection = toError(env, *task.failure_).Value();
    } else {
      napi_resolve_deferred(env, task.deferred_, guarded(env, [&] { return task.settle(env); }));
    }
  } catch (const Napi::Error& error) {
    rejection = error.Value();
  }
  if (rejection != nullptr) napi_reject_deferred(env, task.deferred_, rejection);
}

}  // namespace pt2
