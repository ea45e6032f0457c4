// The number of threads of one op. libtorch keeps it per calling thread, so each thread that computes applies a new
// number before its next work.
#pragma once

namespace pt2 {

void setThreads(int count);

// While it lasts, ops on this thread start no others, where `on`: threads of OpenMP that a second thread brings to life
// would keep those of the pool from waiting awake for the next op.
class OneThread {
 public:
  explicit OneThread(bool on);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 0;     // 0 where nothing is to be restored
  int beforeMkl_ = 0;  // MKL's own number for this thread; 0 for that of the process
};

// Each thread must call this before it computes.
void adoptThreads();

}  // namespace pt2
