// An allocator of libtorch's CPU memory in which a read or write outside of a tensor ends the process: each block has
// pages of its own, between guard pages, and lies at their end or at their beginning. It refuses what is large, as a
// machine without that memory would. A library of its own, which `worker.ts` loads before it calls ops.
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kMost = size_t{64} << 20;
// Uninitialized bytes make no valid index and no harmless number.
constexpr int kUnwritten = 0x7f;

struct Block {
  void* pages;
  size_t size;
};

std::mutex mutex;
size_t live = 0;
uint32_t turn = 0;

std::unordered_map<void*, Block>& blocks() {
  static auto* table = new std::unordered_map<void*, Block>();
  return *table;
}

void release(void* data) {
  if (data == nullptr) return;
  const std::lock_guard lock(mutex);
  const auto found = blocks().find(data);
  munmap(found->second.pages, found->second.size);
  live -= found->second.size;
  blocks().erase(found);
}

class GuardedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* data = bytes == 0 ? nullptr : place(bytes);
    return {data, data, release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return release; }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
  static void* place(size_t bytes) {
    const std::lock_guard lock(mutex);
    TORCH_CHECK(bytes <= kMost && live <= 4 * kMost, "not enough memory: the walk gives none for ", bytes, " bytes");
    const size_t inner = (bytes + kPage - 1) / kPage * kPage;
    const size_t size = inner + 2 * kPage;
    auto* pages = static_cast<char*>(mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    TORCH_CHECK(pages != MAP_FAILED && mprotect(pages + kPage, inner, PROT_READ | PROT_WRITE) == 0,
                "not enough memory");
    char* const first = pages + kPage;
    char* const data = ++turn % 4 == 0 ? first : first + inner - bytes;
    std::memset(data, kUnwritten, bytes);
    blocks().emplace(data, Block{pages, size});
    live += size;
    return data;
  }
};

const bool installed = [] {
  c10::SetCPUAllocator(new GuardedAllocator(), /*priority=*/2);
  return true;
}();

}  // namespace
