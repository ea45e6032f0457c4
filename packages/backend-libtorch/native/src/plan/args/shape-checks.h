// Shapes that some of libtorch's CPU kernels take to fit each other without looking. As plan/args/index-checks.h.
#pragma once

#include <string_view>

#include "plan/args/index-checks.h"

namespace pt2 {

// Null for an op that needs none; without overload.
IndexCheck findShapeCheck(std::string_view op);

}  // namespace pt2
