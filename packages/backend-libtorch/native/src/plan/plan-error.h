// Failures about the plan itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "failure.h"

namespace pt2 {

[[noreturn]] inline void refusePlan(const std::string& what) {
  throw Failure("libtorch.plan", "The plan is malformed: " + what + ".");
}

// Adds the place to a failure that has none yet.
inline Failure located(Failure failure, size_t graph, std::optional<size_t> node) {
  if (!failure.graph.has_value()) {
    failure.graph = graph;
    failure.node = node;
  }
  return failure;
}

}  // namespace pt2
