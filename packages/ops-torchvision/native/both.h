// Formulas that kernels for CPUs and for GPUs share.
#pragma once

#ifdef __CUDACC__
#define PT2_BOTH __host__ __device__
#else
#define PT2_BOTH
#endif
