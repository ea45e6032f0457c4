// Kernels for any processor: vectors of four, which are NEON on arm64 and SSE2 on x86-64.
#include <utility>

#include <c10/util/Half.h>

#include "../table.h"

#define PT2_ISA portable
#include "kernels.inc"
