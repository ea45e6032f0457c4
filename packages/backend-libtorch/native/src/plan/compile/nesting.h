// Graphs refer to graphs that exist, and never to themselves.
#pragma once

#include "plan/source.h"

namespace pt2 {

// Failure `libtorch.plan` otherwise.
void checkNesting(const PlanSource& plan);

}  // namespace pt2
