// Where a helping thread runs: on another processor than the thread that it helps.
#pragma once

#if defined(__linux__)
#include <sched.h>
#endif

namespace pt2 {

// The processors that a sleeping thread may wake on. In a virtual machine, Linux takes a processor that has gone to
// sleep for one that the host has taken away, and would rather have a woken thread wait, for milliseconds, on the
// processor where its caller computes.
class Elsewhere {
 public:
  // Made on the thread itself.
  Elsewhere();
  // Keeps the thread from the processor of the caller. Any thread may call it, one at a time.
  void avoidThisProcessor() noexcept;

 private:
#if defined(__linux__)
  pid_t thread_;
  cpu_set_t allowed_;  // as the thread was started with
  int avoided_ = -1;
#endif
};

}  // namespace pt2
