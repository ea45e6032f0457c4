// Which inputs a graph writes to, directly or through views, as far as the schemas of its ops tell.
#pragma once

#include <vector>

#include "plan/compile/program.h"

namespace pt2 {

// By input. What is not found here is found by running, at the price of a run that begins again; what is found here
// and is not written after all costs a copy.
std::vector<bool> writtenInputs(const Graph& graph);

}  // namespace pt2
