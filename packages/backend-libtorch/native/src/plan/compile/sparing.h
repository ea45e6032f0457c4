// For how many elements an op is worth the threads of OpenMP, which have to wake and then keep processors from others.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>

namespace pt2 {

// The elements of its arguments from which on an op of ATen may take other threads; zero for an op of another library,
// of which nothing is known.
int64_t elementsForThreads(const c10::OperatorHandle& op);

}  // namespace pt2
