// Kernels for x86-64 with AVX2. Headers come before the pragma, so that nothing shared with other
// translation units is compiled for an instruction set that the processor may lack.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>
#include <utility>

#include "../table.h"

#define PT2_ISA avx2
#define PT2_AVX2 1

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

#include "kernels.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
