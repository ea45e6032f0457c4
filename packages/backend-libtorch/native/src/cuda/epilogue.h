// What comes behind a product or a convolution, in one pass over its result.
#pragma once

#ifdef PT2_CUDA

#include <ATen/core/Tensor.h>

#include "kernels/activation.h"

namespace pt2::cuda {

// out = activate(out + bias + residual) in place. `out` is rows of `columns` floats in memory, one for each of `bias`;
// `residual` lies in memory as `out` does. Both may be undefined.
void applyEpilogue(const at::Tensor& out, int64_t columns, const at::Tensor& bias, const at::Tensor& residual,
                   const Activation& activation);

}  // namespace pt2::cuda

#endif
