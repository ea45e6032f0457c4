// From JavaScript's objects to sources. Whatever is not as `addon.ts` says is a Failure `libtorch.plan`.
#pragma once

#include <napi.h>

#include <vector>

#include "plan/source.h"

namespace pt2 {

PlanSource parsePlan(Napi::Object plan);

// Arguments of an eager call: those may hold tensors, and must not refer to slots or graphs.
std::vector<NamedArg> parseArgs(Napi::Array args);

}  // namespace pt2
