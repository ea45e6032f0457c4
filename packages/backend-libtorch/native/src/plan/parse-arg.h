// Reads one argument of a plan or of an eager call.
#pragma once

#include <napi.h>

#include "plan/source.h"

namespace pt2 {

enum class ArgOrigin : uint8_t { Plan, EagerCall };

ArgSource parseArg(Napi::Value value, ArgOrigin origin);

// Reads an index: an integer from 0 to 2^31 - 1.
int64_t parseIndex(Napi::Value value, const char* what);

}  // namespace pt2
