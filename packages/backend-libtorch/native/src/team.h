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

/// What is left of some work: a range of it for each thread, or for a few where there are many. A thread takes from the
/// front of its own, and when nothing is left there from the back of another's. So threads read again, as long as ops
/// divide alike, what they wrote before, which is in the cache of their processor; and late ones are not waited for.
class Ranges {
 public:
  static constexpr int kMost = 16;

  Ranges(int64_t count, int64_t grain, int threads);

  /// Takes the next piece for the thread of a range; returns false when nothing is left in any. Pieces are large first,
  /// so that they are few, then smaller, so that all threads end at nearly the same time.
  bool take(int range, Piece& piece) noexcept;
  /// Leaves what has not been taken undone.
  void abandon() noexcept;
  bool empty() const noexcept;
  int threads() const { return threads_; }
  /// The range of a thread with this number, from 0 on.
  int rangeOf(int thread) const { return thread % ranges_; }

 private:
  /// What is left of one: its begin and its end in units, together, alone on its cache line.
  struct alignas(64) Range {
    std::atomic<uint64_t> left{0};
  };

  bool takeFrom(Range& range, bool front, Piece& piece) noexcept;

  const int64_t count_, unit_;
  const uint64_t least_;
  const int threads_, ranges_;
  /// Pieces that would be left of a range if all were as large as the next.
  const uint64_t divisor_;
  Range range_[kMost];
};

/// The pieces of some work that one of its threads takes.
class Pieces {
 public:
  Pieces(Ranges& ranges, int thread) : ranges_(ranges), range_(ranges.rangeOf(thread)) {}

  /// Takes the next piece; returns false when nothing is left.
  bool next(Piece& piece) noexcept { return ranges_.take(range_, piece); }
  int threads() const { return ranges_.threads(); }

 private:
  Ranges& ranges_;
  const int range_;
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
