// Applies the number of kernel threads to every thread that calls libtorch.
#include "threads.h"

#include <ATen/Parallel.h>
#ifdef _OPENMP
#include <omp.h>
#endif

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

OneThread::OneThread(bool on) {
#ifdef _OPENMP
  if (!on || omp_get_max_threads() == 1) return;
  before_ = omp_get_max_threads();
  omp_set_num_threads(1);
#endif
}

OneThread::~OneThread() {
#ifdef _OPENMP
  if (before_ != 0) omp_set_num_threads(before_);
#endif
}

void adoptThreads() {
  const unsigned current = generation.load(std::memory_order_acquire);
  if (adopted == current) return;
  at::init_num_threads();
  adopted = current;
}

}  // namespace pt2
