// Uses the thread's own set of processors, which it has from the thread that started it.
#include "elsewhere.h"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pt2 {

#if defined(__linux__)

Elsewhere::Elsewhere() : thread_(static_cast<pid_t>(::syscall(SYS_gettid))) {
  // Where that fails, as with more than a thousand processors, the thread stays where it is put.
  if (sched_getaffinity(thread_, sizeof allowed_, &allowed_) != 0) CPU_ZERO(&allowed_);
}

void Elsewhere::avoidThisProcessor() noexcept {
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE || here == avoided_ || CPU_COUNT(&allowed_) < 2) return;
  cpu_set_t others = allowed_;
  CPU_CLR(here, &others);
  if (sched_setaffinity(thread_, sizeof others, &others) == 0) avoided_ = here;
}

#else

Elsewhere::Elsewhere() = default;
void Elsewhere::avoidThisProcessor() noexcept {}

#endif

}  // namespace pt2
