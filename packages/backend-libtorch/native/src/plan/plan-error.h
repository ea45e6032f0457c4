// Failures about the plan itself.
#pragma once

#include <string>

#include "failure.h"

namespace pt2 {

[[noreturn]] inline void refusePlan(const std::string& what) {
  throw Failure("libtorch.plan", "The plan is malformed: " + what + ".");
}

// Adds the place to a failure that has none yet.
inline Failure located(Failure failure, int graph, int node) {
  if (failure.graph < 0) {
    failure.graph = graph;
    failure.node = node;
  }
  return failure;
}

}  // namespace pt2
