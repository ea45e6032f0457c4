// Converts JavaScript objects to sources. A value that differs from `addon.ts` is a Failure `libtorch.plan`.
#pragma once

#include <napi.h>

#include <vector>

#include "plan/source.h"

namespace pt2 {

PlanSource parsePlan(Napi::Object plan);

// Reads the arguments of an eager call, which may be tensors, and must not refer to slots or graphs.
std::vector<NamedArg> parseArgs(Napi::Array args);

}  // namespace pt2
