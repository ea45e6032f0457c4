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
    Worker* worker = idle_.front();  // the coldest
    idle_.erase(idle_.begin());
    --threads_;
    worker->retired = true;
    worker->wake.notify_one();
  }
  while (threads_ < size_ && !waiting_.empty() && start(waiting_.front())) waiting_.pop_front();
}

void Pool::submit(std::unique_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  // Exit handlers run in reverse, and libtorch registers some of its own during the first runs.
  if (std::has_single_bit(++submitted_)) leaveWithoutDestructorsIfBusy();
  if (!idle_.empty()) {
    Worker* worker = idle_.back();
    idle_.pop_back();
    worker->job = std::move(job);
    worker->wake.notify_one();
  } else if (threads_ >= size_ || !start(job)) {
    waiting_.push_back(std::move(job));
  }
}

bool Pool::busy() {
  const std::lock_guard lock(mutex_);
  return idle_.size() < threads_;
}

// Takes the job, or leaves it when the system gives no further thread.
bool Pool::start(std::unique_ptr<Job>& job) {
  auto worker = std::make_unique<Worker>();
  try {
    std::thread([this, self = worker.get()] {
      work(*self);
      delete self;
    }).detach();
  } catch (...) {
    if (threads_ == 0) throw;
    return false;
  }
  ++threads_;
  worker.release()->job = std::move(job);
  return true;
}

// The next job of this thread, or false when it is to end.
bool Pool::wait(std::unique_lock<std::mutex>& lock, Worker& self) {
  if (self.job) return true;
  if (threads_ > size_) {
    --threads_;
    return false;
  }
  if (!waiting_.empty()) {
    self.job = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }
  idle_.push_back(&self);
  self.wake.wait(lock, [&] { return self.job || self.retired; });
  return !self.retired;
}

void Pool::work(Worker& self) {
  const c10::InferenceMode inference;
  std::unique_lock lock(mutex_);  // `start` fills in the first job under it
  while (wait(lock, self)) {
    auto job = std::move(self.job);
    lock.unlock();
    adoptThreads();
    job->run();
    job.reset();
    lock.lock();
  }
}

}  // namespace pt2
