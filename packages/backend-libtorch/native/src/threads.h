// Threads of one op. libtorch keeps the number per calling thread, so each thread that computes takes over a new one
// before its next work.
#pragma once

namespace pt2 {

void setThreads(int count);

// Call before work on any thread.
void adoptThreads();

}  // namespace pt2
