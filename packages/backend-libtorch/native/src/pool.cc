// Starts threads for waiting tasks, and ends threads beyond the limit.
#include "pool.h"

#include <c10/core/InferenceMode.h>

#include <bit>
#include <thread>

#include "exit.h"
#include "threads.h"

namespace pt2 {

Pool& Pool::get() {
  static auto* pool = new Pool();
  return *pool;
}

void Pool::resize(size_t size) {
  const std::lock_guard lock(mutex_);
  size_ = size;
  while (threads_ > size_ && !idle_.empty()) {
    Worker* worker = idle_.front();  // the thread that has been idle for longest
    idle_.erase(idle_.begin());
    --threads_;
    worker->retired = true;
    worker->wake.notify_one();
  }
  while (threads_ < size_ && !waiting_.empty() && start(waiting_.front())) waiting_.pop_front();
}

void Pool::submit(std::unique_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  // Exit handlers run in reverse order, and libtorch registers some of its own during the first runs.
  if (std::has_single_bit(++submitted_)) leaveWithoutDestructorsIfBusy();
  if (!idle_.empty()) {
    Worker* worker = idle_.back();
    idle_.pop_back();
    worker->task = std::move(task);
    worker->wake.notify_one();
  } else if (threads_ >= size_ || !start(task)) {
    waiting_.push_back(std::move(task));
  }
}

bool Pool::busy() {
  const std::lock_guard lock(mutex_);
  return idle_.size() < threads_;
}

// Starts a thread with the task; leaves the task untouched when the system gives no further thread.
bool Pool::start(std::unique_ptr<Task>& task) {
  auto worker = std::make_unique<Worker>();
  Worker& started = *worker;
  try {
    std::thread([this, worker = std::move(worker)] { work(*worker); }).detach();
  } catch (...) {
    if (threads_ == 0) throw;
    return false;
  }
  ++threads_;
  started.task = std::move(task);  // the thread waits for the lock that is held here
  return true;
}

// Waits for the next task of this thread; returns false when the thread has to end.
bool Pool::wait(std::unique_lock<std::mutex>& lock, Worker& self) {
  if (self.task) return true;
  if (threads_ > size_) {
    --threads_;
    return false;
  }
  if (!waiting_.empty()) {
    self.task = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }
  idle_.push_back(&self);
  self.wake.wait(lock, [&] { return self.task || self.retired; });
  return !self.retired;
}

void Pool::work(Worker& self) {
  const c10::InferenceMode inference;
  std::unique_lock lock(mutex_);  // `start` fills in the first task under it
  while (wait(lock, self)) {
    std::unique_ptr<Task> task = std::move(self.task);
    lock.unlock();
    adoptThreads();
    Task& running = *task;
    running.run(std::move(task));
    lock.lock();
  }
}

}  // namespace pt2
