// The number of threads of one op. libtorch keeps it per calling thread, so each thread that computes applies a new
// number before its next work.
#pragma once

namespace pt2 {

void setThreads(int count);

// Each thread must call this before it computes.
void adoptThreads();

}  // namespace pt2
