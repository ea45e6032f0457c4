// Checks that graphs refer to graphs that exist, and never to themselves.
#pragma once

#include "plan/source.h"

namespace pt2 {

// Throws Failure `libtorch.plan` otherwise.
void checkNesting(const PlanSource& plan);

}  // namespace pt2
