// Compiles kernels for the GPU at hand from CUDA C++, with the compiler that libtorch brings: no toolkit is needed to
// run.
#pragma once

#ifdef PT2_CUDA

#include <c10/util/FunctionRef.h>
#include <cuda.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace pt2::cuda {

// Returns the function `kernel` of a source for the current device, which is made and compiled once in a process for
// each `key`: what the source depends on. Throws c10::Error with the compiler's words. Not to be called with a new key
// while a stream is captured.
CUfunction kernelOf(const std::string& key, c10::function_ref<std::string()> source);

// Launches a kernel whose threads loop over `steps` on the current stream; `args` point to the arguments.
void launch(CUfunction kernel, uint64_t steps, std::initializer_list<const void*> args);

// Threads that the current device holds at once.
uint64_t threadsHeld();

}  // namespace pt2::cuda

#endif
