// The threads on which runs compute: one pool for the whole process, apart from Node's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace pt2 {

// Work of the pool.
class Task {
 public:
  virtual ~Task() = default;
  // Runs on a thread of the pool, which owns the task then.
  virtual void run(std::unique_ptr<Task> self) noexcept = 0;
};

// Threads start with the first task. The thread that computed last is chosen first: its OpenMP threads still spin, and
// its caches are warm.
class Pool {
 public:
  // The pool is never destroyed: its threads may outlive static destructors.
  static Pool& get();

  // Sets how many tasks run at one time; further ones wait in order. Running ones are not stopped.
  void resize(size_t size);
  // Throws std::system_error when the system gives no thread at all; the task is then untouched.
  void submit(std::unique_ptr<Task>& task);
  bool busy();

 private:
  struct Worker {
    std::condition_variable wake;
    std::unique_ptr<Task> task;
    bool retired = false;
  };

  void work(Worker& self);
  bool start(std::unique_ptr<Task>& task);
  bool wait(std::unique_lock<std::mutex>& lock, Worker& self);

  std::mutex mutex_;
  std::vector<Worker*> idle_;  // each is owned by its thread
  std::deque<std::unique_ptr<Task>> waiting_;
  size_t size_ = 1;
  size_t threads_ = 0;
  size_t submitted_ = 0;
};

}  // namespace pt2
