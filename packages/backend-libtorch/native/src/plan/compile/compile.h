// Compiles a source to a program. Throws Failure with the node's place in the plan.
#pragma once

#include "plan/compile/program.h"
#include "plan/source.h"

namespace pt2 {

Program compileProgram(PlanSource source);

}  // namespace pt2
