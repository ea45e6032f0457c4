// Allocates libtorch's memory on the CPU, and counts its bytes.
#include "counting-allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "run-memory.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace pt2 {
namespace {

std::atomic<int64_t> live{0};
std::atomic<int64_t> peak{0};

#if defined(__GLIBC__)

// libtorch takes memory by `posix_memalign`, for which glibc looks for more than it takes and gives the rest back as a
// small block. As soon as something uses that, what a run frees is too small for the next run, which takes new memory,
// page by page. A block of `malloc` fits again, and small ones are found without a lock. Blocks of runs have their
// places in the memory of the run. What is known of a block lies before the data.
struct Header {
  void* block;  // null where a run has the memory
  size_t size;
  RunBlock of;  // the run's name for it; `run` is zero for a block of none
};

// Before the data, which is aligned like the block.
constexpr size_t kHeaderRoom = (sizeof(Header) + c10::gAlignment - 1) / c10::gAlignment * c10::gAlignment;

Header headerOf(const void* data) {
  Header header;
  std::memcpy(&header, static_cast<const char*>(data) - sizeof header, sizeof header);
  return header;
}

// Takes a block of the heap. Returns its data.
char* takeFromHeap(Header& header) {
  constexpr size_t kRoom = c10::gAlignment + sizeof(Header);
  header.block = header.size > SIZE_MAX - kRoom ? nullptr : std::malloc(header.size + kRoom);
  TORCH_CHECK_WITH(OutOfMemoryError, header.block != nullptr, "not enough memory: you tried to allocate ", header.size,
                   " bytes.");
  char* first = static_cast<char*>(header.block) + sizeof header;
  return first + (c10::gAlignment - reinterpret_cast<uintptr_t>(first) % c10::gAlignment) % c10::gAlignment;
}

void* take(size_t size) {
  Header header{.block = nullptr, .size = size, .of = {}};
  RunScope* const run = size < kLeastPlaced || size > SIZE_MAX - kHeaderRoom ? nullptr : RunScope::current();
  if (run != nullptr) header.of = run->take(size + kHeaderRoom);
  char* const data = header.of.memory != nullptr ? header.of.memory + kHeaderRoom : takeFromHeap(header);
  std::memcpy(data - sizeof header, &header, sizeof header);
  c10::profiledCPUMemoryReporter().New(data, size);
  return data;
}

void giveBack(void* data) {
  c10::profiledCPUMemoryReporter().Delete(data);
  const Header header = headerOf(data);
  if (header.of.run != 0) RunScope::giveBack(header.of);
  std::free(header.block);
}

int64_t sizeOf(void* data) { return static_cast<int64_t>(headerOf(data).size); }

#else

c10::Allocator& libtorchs() {
  static c10::Allocator* const allocator = c10::GetDefaultCPUAllocator();
  return *allocator;
}

void* take(size_t size) { return libtorchs().raw_allocate(size); }

void giveBack(void* data) { libtorchs().raw_deallocate(data); }

// libtorch's call that frees a block does not pass its size.
int64_t sizeOf(void* data) {
#if defined(_WIN32)
  return static_cast<int64_t>(_aligned_msize(data, c10::gAlignment, 0));
#elif defined(__APPLE__)
  return static_cast<int64_t>(malloc_size(data));
#else
  return static_cast<int64_t>(malloc_usable_size(data));
#endif
}

#endif

void count(int64_t bytes) {
  const int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void release(void* data) {
  if (data == nullptr) return;
  count(-sizeOf(data));
  giveBack(data);
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t size) override {
    void* data = size == 0 ? nullptr : take(size);
    if (data != nullptr) count(sizeOf(data));
    return {data, data, release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return release; }
  void copy_data(void* to, const void* from, size_t size) const override { default_copy_data(to, from, size); }
};

}  // namespace

void countCpuMemory() {
  // Never destroyed: tensors outlive static destructors.
  static auto* const counting = new CountingAllocator();
  c10::SetCPUAllocator(counting, /*priority=*/1);
}

MemoryUse cpuMemoryUse() { return {live.load(std::memory_order_relaxed), peak.load(std::memory_order_relaxed)}; }

}  // namespace pt2
