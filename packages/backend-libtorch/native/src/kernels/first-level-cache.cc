// Asks the system how many cache lines a set of the first-level cache has.
#include "first-level-cache.h"

#if defined(__linux__)
#include <unistd.h>
#endif

namespace pt2 {
namespace {

/// Bytes after which addresses fall into the same set again, on all processors with pages of 4 kB.
constexpr int64_t kPeriod = 4096;
constexpr int64_t kLine = 64;

int64_t lines_of_a_set() {
  constexpr int64_t kUsual = 8;
#if defined(_SC_LEVEL1_DCACHE_ASSOC)
  const int64_t lines = ::sysconf(_SC_LEVEL1_DCACHE_ASSOC);
  return lines > 0 ? lines : kUsual;
#else
  return kUsual;
#endif
}

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

}  // namespace pt2
