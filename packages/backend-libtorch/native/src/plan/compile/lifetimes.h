// Finds the last read of each slot: it takes the value out of the slot, so that memory is freed as early as possible.
#pragma once

#include "plan/compile/program.h"

namespace pt2 {

// Marks last reads, and drops the slots of values that no node reads.
void markLastUses(Graph& graph);

}  // namespace pt2
