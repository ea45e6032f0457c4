// Asks the system how large the caches are.
#include "cache.h"

#if defined(__linux__)
#include <unistd.h>
#endif

namespace pt2 {
namespace {

/// Bytes after which addresses fall into the same set again, on all processors with pages of 4 kB.
constexpr int64_t kPeriod = 4096;
constexpr int64_t kLine = kLineFloats * static_cast<int64_t>(sizeof(float));

#if defined(__linux__)
int64_t ask(int name, int64_t usual) {
  const int64_t answer = ::sysconf(name);
  return answer > 0 ? answer : usual;
}
int64_t lines_of_a_set() { return ask(_SC_LEVEL1_DCACHE_ASSOC, 8); }
int64_t second_level_bytes() { return ask(_SC_LEVEL2_CACHE_SIZE, 1 << 20); }
#else
int64_t lines_of_a_set() { return 8; }
int64_t second_level_bytes() { return 1 << 20; }
#endif

}  // namespace

bool crowd(int64_t rows, int64_t stride) {
  // Two lines of each set are for what else is read.
  static const int64_t kLeft = lines_of_a_set() - 2;
  int64_t sets = 1;
  for (int64_t bytes = stride * static_cast<int64_t>(sizeof(float)); bytes % kPeriod != 0 && sets < kPeriod / kLine;) {
    bytes *= 2;
    sets *= 2;
  }
  return (rows + sets - 1) / sets > kLeft;
}

int64_t floats_kept() {
  static const int64_t kKept = second_level_bytes() * 5 / 8 / static_cast<int64_t>(sizeof(float));
  return kKept;
}

}  // namespace pt2
