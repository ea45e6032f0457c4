// What the processor has instructions for.
#pragma once

namespace pt2 {

/// Whether this processor multiplies bfloat16 itself, and `ATEN_CPU_CAPABILITY` allows it.
bool multiplies_bfloat16();

}  // namespace pt2
