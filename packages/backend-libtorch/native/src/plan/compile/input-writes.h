// Tells which inputs a graph writes to, directly or through views, as far as the schemas of its ops show.
#pragma once

#include <vector>

#include "plan/compile/program.h"

namespace pt2 {

// Returns a flag for each input. A write that is not found here is found by running, and then the run begins again; an
// input that is found here and is not written to costs a copy.
std::vector<bool> writtenInputs(const Graph& graph);

}  // namespace pt2
