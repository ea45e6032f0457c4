// The threads that share the work of one kernel.
//
// OpenMP divides an op before it begins, wakes its threads and waits for each of them, also for one that the system
// starts late. Here the thread that calls begins at once, others take pieces when they are there, and there is no wait
// for a thread that has taken none.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace pt2 {

/// Items [begin, end) of some work.
struct Piece {
  int64_t begin, end;
};

/// What is left of some work, from which threads take pieces: large ones first, so that they are few, then smaller
/// ones, so that all threads end at nearly the same time.
class Pieces {
 public:
  Pieces(int64_t count, int64_t grain, int threads) : count_(count), grain_(grain), threads_(threads) {}

  /// Takes the next piece; returns false when nothing is left.
  bool next(Piece& piece) noexcept;
  /// Leaves what has not been taken undone.
  void abandon() noexcept { next_.store(count_, std::memory_order_relaxed); }
  bool empty() const noexcept { return next_.load(std::memory_order_relaxed) >= count_; }
  int threads() const { return threads_; }

 private:
  const int64_t count_, grain_;
  const int threads_;
  std::atomic<int64_t> next_{0};
};

using SharedWork = void (*)(void* context, Pieces& pieces);

/// See `share`.
void shareWork(int64_t count, int64_t grain, SharedWork work, void* context);

/// Calls `work(pieces)` on this thread, and on others if there is more than `grain` for each: at most as many as
/// `at::get_num_threads()` says. Returns when all of `count` items are done. If a call throws, no further pieces are
/// given out, and one of the exceptions is thrown here once all calls have ended.
template <class F>
void share(int64_t count, int64_t grain, const F& work) {
  shareWork(
      count, grain, [](void* context, Pieces& pieces) { (*static_cast<const F*>(context))(pieces); },
      const_cast<F*>(std::addressof(work)));
}

/// The same for work that needs nothing from one piece to the next: calls `work(begin, end)`.
template <class F>
void shareRanges(int64_t count, int64_t grain, const F& work) {
  share(count, grain, [&](Pieces& pieces) {
    for (Piece piece; pieces.next(piece);) work(piece.begin, piece.end);
  });
}

/// The least items that an op is divided into where it can be, so that each thread has a few of them.
int64_t itemsForThreads();

}  // namespace pt2
