// Tells glibc how much of the memory that a run frees the next one will want.
#include "freed-memory.h"

#include <cstdlib>

namespace pt2 {

void keepFreedMemory() {
#if defined(__GLIBC__)
  // glibc keeps twice the largest block that was ever freed, and counts blocks of up to 32 MB. So one of almost that
  // size, which nothing touches, does what runs of larger programs do anyway; `mallopt` would end this adaptation for
  // the whole process. Through a volatile pointer, as compilers leave out memory that is not used.
  constexpr size_t kLargestCounted = size_t{32} << 20, kHeader = 8192;
  void* volatile block = std::malloc(kLargestCounted - kHeader);
  std::free(block);
#endif
}

}  // namespace pt2
