// Keeps threads ready for shared work: they look for more of it for a moment, then sleep.
#include "team.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "elsewhere.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pt2 {
namespace {

using Clock = std::chrono::steady_clock;

/// Ops of a network follow one another within this time, unless other libraries compute between them.
constexpr std::chrono::microseconds kLooking{200};
/// Only after this time is the processor offered to other threads: asking the system takes longer than most waits.
constexpr std::chrono::microseconds kPausing{20};

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks until `done()`, or for as long as is useful; returns what `done()` says then.
template <class F>
bool look(const F& done) {
  const auto start = Clock::now();
  for (;;) {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      pause();
    }
    const auto waited = Clock::now() - start;
    if (waited > kLooking) return done();
    if (waited > kPausing) std::this_thread::yield();
  }
}

/// Locks a mutex that is held for less time than it takes to fall asleep and to be woken.
void acquire(std::unique_lock<std::mutex>& lock) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return;
    pause();
  }
  lock.lock();
}

std::unique_lock<std::mutex> acquired(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  acquire(lock);
  return lock;
}

/// Work that others may join. It lies on the stack of the thread that shares it, which leaves only when `inside` is 0.
struct Job {
  Ranges ranges;
  SharedWork work;
  void* context;
  std::atomic<int> inside{0};  // written under the mutex
  int room;                    // how many more may join
  std::exception_ptr failure;  // under the mutex
};

class Team {
 public:
  /// Never destroyed: its threads may outlive static destructors.
  static Team& get() {
    static auto* team = new Team();
    return *team;
  }

  void run(Job& job) {
    open(job);
    compute(job, 0);
    close(job);
    if (job.failure) std::rethrow_exception(job.failure);
  }

 private:
  /// A thread that sleeps. It is awake once it is called, or a job was opened while it fell asleep.
  struct Helper {
    std::condition_variable wake;
    bool called = false;
    Elsewhere place;
  };

  void open(Job& job) {
    const auto lock = acquired(mutex_);
    jobs_.push_back(&job);
    wanted_ += job.room;
    while (threads_ < wanted_ && start()) ++threads_;
    changes_.fetch_add(1, std::memory_order_release);
    for (int left = job.room; left > 0 && !sleeping_.empty(); --left) {
      Helper* helper = sleeping_.back();
      sleeping_.pop_back();
      helper->place.avoidThisProcessor();
      helper->called = true;
      helper->wake.notify_one();
    }
  }

  /// Lets no more threads join; waits for those that have.
  void close(Job& job) {
    {
      const auto lock = acquired(mutex_);
      wanted_ -= job.ranges.threads() - 1;
      std::erase(jobs_, &job);
    }
    const auto alone = [&] { return job.inside.load(std::memory_order_acquire) == 0; };
    if (look(alone)) return;
    std::unique_lock lock(mutex_);
    left_.wait(lock, alone);
  }

  void compute(Job& job, int thread) {
    try {
      Pieces pieces(job.ranges, thread);
      job.work(job.context, pieces);
    } catch (...) {
      job.ranges.abandon();
      const auto lock = acquired(mutex_);
      if (!job.failure) job.failure = std::current_exception();
    }
  }

  /// Starts a thread; returns false when the system gives none: then the others do the work.
  bool start() {
    try {
      std::thread([this, thread = threads_ + 1] { help(thread); }).detach();
      return true;
    } catch (...) {
      return false;
    }
  }

  Job* join() {
    for (Job* job : jobs_) {
      if (job->room == 0 || job->ranges.empty()) continue;
      --job->room;
      job->inside.fetch_add(1, std::memory_order_relaxed);
      return job;
    }
    return nullptr;
  }

  void help(int thread) {
    Helper self;
    std::unique_lock lock(mutex_);
    for (;;) {
      while (Job* job = join()) {
        lock.unlock();
        compute(*job, thread);
        acquire(lock);
        // The last thing that is done with the job: its owner may be looking, and leave.
        job->inside.fetch_sub(1, std::memory_order_release);
        left_.notify_all();
      }
      const unsigned seen = changes_.load(std::memory_order_relaxed);
      lock.unlock();
      look([&] { return changes_.load(std::memory_order_acquire) != seen; });
      acquire(lock);
      if (changes_.load(std::memory_order_relaxed) != seen) continue;
      self.called = false;
      sleeping_.push_back(&self);
      self.wake.wait(lock, [&] { return self.called; });
    }
  }

  std::mutex mutex_;
  std::condition_variable left_;
  std::vector<Job*> jobs_;
  std::vector<Helper*> sleeping_;
  std::atomic<unsigned> changes_{0};  // jobs that were opened, written under the mutex
  int threads_ = 0;
  int wanted_ = 0;  // threads that could join the jobs there are
};

}  // namespace

Ranges::Ranges(int64_t count, int64_t grain, int threads)
    : count_(count),
      unit_(count / UINT32_MAX + 1),
      least_(std::max<int64_t>(1, grain / unit_)),
      threads_(threads),
      ranges_(std::min(threads, kMost)),
      divisor_(threads == 1 ? 1 : 2 * ((threads + kMost - 1) / kMost)) {
  const uint64_t units = (count + unit_ - 1) / unit_;
  for (uint64_t i = 0; i < static_cast<uint64_t>(ranges_); ++i) {
    const uint64_t begin = units * i / ranges_, end = units * (i + 1) / ranges_;
    range_[i].left.store(begin << 32 | end, std::memory_order_relaxed);
  }
}

bool Ranges::takeFrom(Range& range, bool front, Piece& piece) noexcept {
  uint64_t left = range.left.load(std::memory_order_relaxed), begin, end, rest;
  do {
    begin = left >> 32, end = left & UINT32_MAX;
    if (begin >= end) return false;
    const uint64_t size = std::min(end - begin, std::max(least_, (end - begin) / divisor_));
    if (front) {
      end = begin + size;
      rest = end << 32 | (left & UINT32_MAX);
    } else {
      begin = end - size;
      rest = (left & ~uint64_t{UINT32_MAX}) | begin;
    }
  } while (!range.left.compare_exchange_weak(left, rest, std::memory_order_relaxed));
  piece = {static_cast<int64_t>(begin) * unit_, std::min(count_, static_cast<int64_t>(end) * unit_)};
  return true;
}

bool Ranges::take(int range, Piece& piece) noexcept {
  if (takeFrom(range_[range], true, piece)) return true;
  for (int i = 1; i < ranges_; ++i) {
    if (takeFrom(range_[(range + i) % ranges_], false, piece)) return true;
  }
  return false;
}

void Ranges::abandon() noexcept {
  for (int i = 0; i < ranges_; ++i) range_[i].left.store(0, std::memory_order_relaxed);
}

bool Ranges::empty() const noexcept {
  for (int i = 0; i < ranges_; ++i) {
    const uint64_t left = range_[i].left.load(std::memory_order_relaxed);
    if ((left >> 32) < (left & UINT32_MAX)) return false;
  }
  return true;
}

int64_t itemsForThreads() {
  const int64_t threads = at::get_num_threads();
  return threads > 1 ? 4 * threads : 1;
}

void shareWork(int64_t count, int64_t grain, SharedWork work, void* context) {
  if (count <= 0) return;
  const int64_t most = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
  const int threads = static_cast<int>(std::min<int64_t>(most, at::get_num_threads()));
  if (threads <= 1) {
    Ranges ranges(count, count, 1);
    Pieces pieces(ranges, 0);
    work(context, pieces);
    return;
  }
  Job job{.ranges = {count, grain, threads}, .work = work, .context = context, .room = threads - 1, .failure = nullptr};
  Team::get().run(job);
}

}  // namespace pt2
