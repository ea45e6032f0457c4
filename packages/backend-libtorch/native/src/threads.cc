// Applies the number of kernel threads to every thread that calls libtorch.
#include "threads.h"

#include <ATen/Parallel.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <atomic>

#if defined(__linux__) && defined(__x86_64__)
// Of the MKL that libtorch contains, where it does. MKL does not ask OpenMP once libtorch has told it a number.
extern "C" int MKL_Set_Num_Threads_Local(int count) __attribute__((weak));
#define PT2_MKL
#endif

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
#ifdef PT2_MKL
  if (MKL_Set_Num_Threads_Local != nullptr) beforeMkl_ = MKL_Set_Num_Threads_Local(1);
#endif
#endif
}

OneThread::~OneThread() {
#ifdef _OPENMP
  if (before_ == 0) return;
  omp_set_num_threads(before_);
#ifdef PT2_MKL
  if (MKL_Set_Num_Threads_Local != nullptr) MKL_Set_Num_Threads_Local(beforeMkl_);
#endif
#endif
}

void adoptThreads() {
  const unsigned current = generation.load(std::memory_order_acquire);
  if (adopted == current) return;
  // libtorch sets a thread's number when it is first asked for: now, rather than while `OneThread` lasts.
  static_cast<void>(at::get_num_threads());
  at::init_num_threads();
  adopted = current;
}

}  // namespace pt2
