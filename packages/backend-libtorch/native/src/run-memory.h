// The memory of runs that allocate alike.
//
// A run of a plan mostly allocates and frees what the run before did, in the same order. Two runs in a row that were
// alike tell which blocks are there at the same time. Each then gets its place in one arena, which is hardly larger
// than what is there at once: an op writes where an earlier one has read, which is in a cache still. Nothing is assumed
// of the runs that follow: one that asks for another size, or for a place where a block is left, gets its further
// blocks from the heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace pt2 {

// Below this blocks get no place: the heap finds small ones as fast.
inline constexpr size_t kLeastPlaced = 8192;

class Arena;  // the memory of one run at a time

// One allocation of a run.
struct Allocation {
  static constexpr uint32_t kNever = UINT32_MAX;

  size_t bytes;
  uint32_t freed = kNever;  // the number of allocations when it was freed; `kNever` if it outlived the run

  bool operator==(const Allocation& other) const { return bytes == other.bytes && freed == other.freed; }
};

// Where the blocks of a run lie in its arena.
struct Placement {
  static constexpr size_t kNowhere = SIZE_MAX;

  struct Place {
    size_t bytes;
    size_t offset = kNowhere;     // in the arena; `kNowhere` for a block of the heap
    std::vector<uint32_t> after;  // blocks that had memory of it last
  };
  std::vector<Place> places;
  size_t bytes = 0;  // of the arena
};

// What is known of the runs of one plan. Several threads may run it at the same time.
class RunMemory {
 public:
  RunMemory();
  ~RunMemory();
  RunMemory(const RunMemory&) = delete;
  RunMemory& operator=(const RunMemory&) = delete;

 private:
  friend class RunScope;

  std::shared_ptr<const Placement> placement();
  void learn(std::vector<Allocation> allocations);
  void forget(bool forGood);

  std::mutex mutex_;
  bool mayPlace_ = true;
  std::vector<Allocation> last_;
  bool cameAgain_ = false;  // `last_` did, and was placed if that pays
  std::shared_ptr<const Placement> placement_;
};

// A block that belongs to a run. It is given back with what names it here.
struct RunBlock {
  char* memory = nullptr;  // null for a block that the heap has to give
  Arena* arena = nullptr;  // null for one of the heap
  uint64_t run = 0;        // not zero
  uint32_t index = 0;      // among the allocations of the run
};

// While it lives, what this thread allocates belongs to a run. No run begins inside another one.
class RunScope {
 public:
  // Takes null for no run.
  explicit RunScope(RunMemory* memory);
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

  // Returns null where nothing runs.
  static RunScope* current();

  // Returns `bytes` of memory at a multiple of 64, or says which allocation it is.
  RunBlock take(size_t bytes);
  // Any thread gives a block back.
  static void giveBack(const RunBlock& block);

 private:
  void freed(uint32_t index);

  RunMemory* const memory_;
  uint64_t run_ = 0;
  std::shared_ptr<const Placement> placement_;
  Arena* arena_ = nullptr;
  uint32_t next_ = 0;
  bool alike_ = true;
  std::vector<Allocation> allocations_;  // where nothing is placed yet
};

}  // namespace pt2
