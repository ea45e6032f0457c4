#include "task.h"

#include "errors.h"
#include "pool.h"

namespace pt2 {

class TaskJob final : public Job {
 public:
  TaskJob(std::shared_ptr<Mailbox> mailbox, std::unique_ptr<Task> task)
      : mailbox_(std::move(mailbox)), task_(std::move(task)) {}

  void run() noexcept override {
    if (mailbox_->closed()) return;
    try {
      task_->compute();
    } catch (...) {
      task_->failure_ = toFailure(std::current_exception());
    }
    mailbox_->deliver(std::move(task_));
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::unique_ptr<Task> task_;
};

std::shared_ptr<Mailbox> Mailbox::open(Napi::Env env) {
  auto mailbox = std::make_shared<Mailbox>();
  const Napi::String name = Napi::String::New(env, "pt2");
  const napi_status status = napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr,
                                                             mailbox.get(), onDelivery, &mailbox->door_);
  if (status != napi_ok) throw Napi::Error::New(env);
  napi_unref_threadsafe_function(env, mailbox->door_);
  // Hooks run in reverse: this one before Node takes the function above away under the pool's threads.
  env.AddCleanupHook([mailbox] { mailbox->close(); });
  return mailbox;
}

Napi::Promise Mailbox::post(Napi::Env env, std::unique_ptr<Task> task) {
  napi_value promise = nullptr;
  if (napi_create_promise(env, &task->deferred_, &promise) != napi_ok) throw Napi::Error::New(env);
  Task* posted = task.get();
  std::unique_ptr<Job> job = std::make_unique<TaskJob>(shared_from_this(), std::move(task));
  {
    const std::lock_guard lock(mutex_);
    running_.insert(posted);
  }
  try {
    Pool::get().submit(job);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    running_.erase(posted);
    throw;
  }
  if (pending_++ == 0) napi_ref_threadsafe_function(env, door_);
  return Napi::Promise(env, promise);
}

bool Mailbox::closed() {
  const std::lock_guard lock(mutex_);
  return door_ == nullptr;
}

void Mailbox::deliver(std::unique_ptr<Task> task) {
  const std::lock_guard lock(mutex_);
  running_.erase(task.get());
  if (door_ == nullptr) return;
  // Fails only when the function is closing, which `close` comes before.
  if (napi_call_threadsafe_function(door_, task.get(), napi_tsfn_nonblocking) == napi_ok) task.release();
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  door_ = nullptr;
  for (Task* task : running_) task->cancel();
}

void Mailbox::onDelivery(napi_env env, napi_value, void* self, void* data) {
  const std::unique_ptr<Task> task(static_cast<Task*>(data));
  if (env == nullptr) return;  // the environment's end, with this one still in the queue
  static_cast<Mailbox*>(self)->settle(Napi::Env(env), *task);
}

void Mailbox::settle(Napi::Env env, Task& task) {
  const Napi::HandleScope scope(env);
  if (--pending_ == 0) napi_unref_threadsafe_function(env, door_);
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
