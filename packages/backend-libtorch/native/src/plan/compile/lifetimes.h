// Who reads a slot last: that reader takes the value out of it, so that memory is freed as early as it can be.
#pragma once

#include "plan/compile/program.h"

namespace pt2 {

// Marks last reads, and drops values that nobody reads.
void markLastUses(Graph& graph);

}  // namespace pt2
