// Applies the number of kernel threads to every thread that calls libtorch.
#include "threads.h"

#include <ATen/Parallel.h>

#include <atomic>

namespace pt2 {
namespace {

std::atomic<unsigned> generation{0};
thread_local unsigned adopted = ~0U;

}  // namespace

void setThreads(int count) {
  at::set_num_threads(count);
  adopted = ++generation;
}

void adoptThreads() {
  const unsigned current = generation.load(std::memory_order_acquire);
  if (adopted == current) return;
  at::init_num_threads();
  adopted = current;
}

}  // namespace pt2
