// Learns what runs allocate, and keeps the pieces of memory that they share.
#include "run-memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace pt2 {
namespace {

constexpr size_t kPlaceAlignment = 64;

// AddressSanitizer knows the blocks of the heap, and nothing of what lies in them.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPlaces = false;
#else
constexpr bool kPlaces = true;
#endif

// Runs that need more get all of it from the heap, which returns it to the system when they end.
constexpr size_t kMostBytes = size_t{64} << 20;

// Placing takes time that grows with the square of the allocations.
constexpr size_t kMostAllocations = 2048;

size_t rounded(size_t bytes) { return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment; }

thread_local RunScope* scope = nullptr;

std::atomic<uint64_t> runs{0};

}  // namespace

class Arena {
 public:
  explicit Arena(size_t bytes) : memory_(static_cast<char*>(std::malloc(bytes + kPlaceAlignment))), bytes_(bytes) {}
  ~Arena() { std::free(memory_); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  bool isThere() const { return memory_ != nullptr; }
  size_t bytes() const { return bytes_; }

  // Nothing else uses it.
  void begin(size_t blocks) {
    if (blocks > room_) {
      taken_ = std::make_unique<std::atomic<bool>[]>(blocks);
      room_ = blocks;
    }
    for (size_t i = 0; i < blocks; ++i) taken_[i].store(false, std::memory_order_relaxed);
    uses_.store(1, std::memory_order_relaxed);
  }

  bool isTaken(uint32_t block) const { return taken_[block].load(std::memory_order_acquire); }

  char* take(uint32_t block, size_t offset) {
    taken_[block].store(true, std::memory_order_relaxed);
    uses_.fetch_add(1, std::memory_order_relaxed);
    return reinterpret_cast<char*>(rounded(reinterpret_cast<uintptr_t>(memory_))) + offset;
  }

  void giveBack(uint32_t block) {
    taken_[block].store(false, std::memory_order_release);
    endUse();
  }

  // Ends the use by a run or by one of its blocks. Returns whether it was the last one: another run may then take the
  // arena.
  bool endUse();

 private:
  char* const memory_;
  const size_t bytes_;
  std::unique_ptr<std::atomic<bool>[]> taken_;
  size_t room_ = 0;
  std::atomic<size_t> uses_{0};
};

namespace {

// Arenas that no run uses: as many as have run at the same time, and none when there are no plans.
class Arenas {
 public:
  static Arenas& all() {
    // Never destroyed: tensors outlive static destructors.
    static auto* const arenas = new Arenas();
    return *arenas;
  }

  // Returns null where there is no memory.
  Arena* take(const Placement& placement) {
    std::unique_ptr<Arena> arena;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        arena = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (arena == nullptr || arena->bytes() < placement.bytes) {
      arena.reset();
      arena = std::make_unique<Arena>(placement.bytes);
    }
    if (!arena->isThere()) return nullptr;
    arena->begin(placement.places.size());
    return arena.release();
  }

  void giveBack(Arena* arena) {
    std::unique_ptr<Arena> owned(arena);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (plans_ > 0) free_.push_back(std::move(owned));
  }

  void addPlan() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++plans_;
  }

  void removePlan() {
    std::vector<std::unique_ptr<Arena>> unused;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--plans_ == 0) unused.swap(free_);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> free_;
  size_t plans_ = 0;
};

bool areThereTogether(const std::vector<Allocation>& allocations, uint32_t a, uint32_t b) {
  const auto [first, second] = std::minmax(a, b);
  return allocations[first].freed > second;
}

// The lowest offset where a block is clear of those that are there together with it.
size_t offsetFor(const std::vector<Allocation>& allocations, const Placement& placement,
                 const std::vector<uint32_t>& placed, uint32_t block) {
  std::vector<std::pair<size_t, size_t>> others;
  for (const uint32_t other : placed) {
    if (!areThereTogether(allocations, block, other)) continue;
    const Placement::Place& place = placement.places[other];
    others.emplace_back(place.offset, place.offset + rounded(place.bytes));
  }
  std::sort(others.begin(), others.end());
  size_t offset = 0;
  for (const auto& [begin, end] : others) {
    if (offset + rounded(placement.places[block].bytes) <= begin) break;
    offset = std::max(offset, end);
  }
  return offset;
}

// The earlier blocks that had some of a block's memory last.
std::vector<uint32_t> lastIn(const Placement& placement, uint32_t block) {
  const Placement::Place& place = placement.places[block];
  // What no later one had yet.
  std::vector<std::pair<size_t, size_t>> open = {{place.offset, place.offset + rounded(place.bytes)}};
  std::vector<uint32_t> found;
  for (uint32_t i = block; i-- > 0 && !open.empty();) {
    const Placement::Place& other = placement.places[i];
    if (other.offset == Placement::kNowhere) continue;
    const size_t begin = other.offset, end = other.offset + rounded(other.bytes);
    std::vector<std::pair<size_t, size_t>> left;
    for (const auto& [from, to] : open) {
      if (from < std::min(to, begin)) left.emplace_back(from, std::min(to, begin));
      if (std::max(from, end) < to) left.emplace_back(std::max(from, end), to);
    }
    if (left != open) found.push_back(i);
    open = std::move(left);
  }
  return found;
}

// Places blocks so that those which are there at the same time do not overlap. `after` leaves out what follows: a block
// that had the place of another one could have it only after that was freed.
Placement placeAll(const std::vector<Allocation>& allocations) {
  Placement placement;
  for (const Allocation& allocation : allocations) placement.places.push_back({.bytes = allocation.bytes, .after = {}});
  std::vector<uint32_t> order(allocations.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  // Large ones first, which leaves the smallest gaps.
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return allocations[a].bytes > allocations[b].bytes; });
  std::vector<uint32_t> placed;
  for (const uint32_t block : order) {
    if (allocations[block].freed == Allocation::kNever) continue;
    Placement::Place& place = placement.places[block];
    place.offset = offsetFor(allocations, placement, placed, block);
    placement.bytes = std::max(placement.bytes, place.offset + rounded(place.bytes));
    placed.push_back(block);
  }
  for (const uint32_t block : placed) placement.places[block].after = lastIn(placement, block);
  return placement;
}

}  // namespace

bool Arena::endUse() {
  const bool last = uses_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (last) Arenas::all().giveBack(this);
  return last;
}

RunMemory::RunMemory() { Arenas::all().addPlan(); }

RunMemory::~RunMemory() { Arenas::all().removePlan(); }

std::shared_ptr<const Placement> RunMemory::placement() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return placement_;
}

void RunMemory::learn(std::vector<Allocation> allocations) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!kPlaces || !mayPlace_) return;
  if (allocations != last_) {
    last_ = std::move(allocations);
    cameAgain_ = false;
    return;
  }
  if (cameAgain_ || last_.size() > kMostAllocations) return;
  cameAgain_ = true;
  auto placement = std::make_shared<Placement>(placeAll(last_));
  if (placement->bytes > 0 && placement->bytes <= kMostBytes) placement_ = std::move(placement);
}

void RunMemory::forget(bool forGood) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (forGood) mayPlace_ = false;
  placement_.reset();
  last_.clear();
  cameAgain_ = false;
}

RunScope::RunScope(RunMemory* memory) : memory_(memory) {
  if (memory_ == nullptr) return;
  run_ = runs.fetch_add(1, std::memory_order_relaxed) + 1;
  placement_ = memory_->placement();
  if (placement_ != nullptr) arena_ = Arenas::all().take(*placement_);
  scope = this;
}

RunScope::~RunScope() {
  if (memory_ == nullptr) return;
  scope = nullptr;
  // A block that outlives the run, other than in those before, keeps its arena. It depends on data then which do.
  const bool outlived = arena_ != nullptr && !arena_->endUse();
  if (placement_ == nullptr) {
    memory_->learn(std::move(allocations_));
  } else if (outlived || !alike_ || next_ != placement_->places.size()) {
    memory_->forget(outlived);
  }
}

RunScope* RunScope::current() { return scope; }

RunBlock RunScope::take(size_t bytes) {
  RunBlock block{.run = run_, .index = next_++};
  if (placement_ == nullptr) {
    allocations_.push_back({bytes});
    return block;
  }
  if (!alike_) return block;
  const auto& places = placement_->places;
  alike_ = block.index < places.size() && places[block.index].bytes == bytes;
  if (!alike_ || arena_ == nullptr) return block;
  const Placement::Place& place = places[block.index];
  if (place.offset == Placement::kNowhere) return block;
  for (const uint32_t other : place.after) {
    if (arena_->isTaken(other)) {
      alike_ = false;
      return block;
    }
  }
  block.memory = arena_->take(block.index, place.offset);
  block.arena = arena_;
  return block;
}

void RunScope::giveBack(const RunBlock& block) {
  if (block.arena != nullptr) {
    block.arena->giveBack(block.index);
  } else if (scope != nullptr && scope->run_ == block.run) {
    scope->freed(block.index);
  }
}

void RunScope::freed(uint32_t index) {
  if (index < allocations_.size()) allocations_[index].freed = static_cast<uint32_t>(allocations_.size());
}

}  // namespace pt2
