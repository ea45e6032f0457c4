// The C++ functions behind the `pt2::*` ops on a GPU. Their schemas are in `kernels/library.cc`.
#pragma once

#ifdef PT2_CUDA

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "kernels/ops/activation.h"

namespace pt2::cuda {

std::vector<at::Tensor> pointwise(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                                  at::IntArrayRef results, at::IntArrayRef masks);

// Splits the weight [out, in] of a product for `linear_3xtf32`: [out, 2 in], first what TF32 leaves of each row, then
// the row in TF32.
at::Tensor pack_3xtf32_weight(const at::Tensor& weight);

// A product in float32 by the tensor cores, as three products in TF32: x = high + low, w = high + low, and of x w all
// but low low. Tensor cores round sums toward zero: errors are up to 1e-5 of the largest element for 3072 terms.
// (Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores.)
at::Tensor linear_3xtf32(const at::Tensor& x, const at::Tensor& packed, int64_t out_features,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm);

// The matrix [out, taps * in / groups] of a convolution, which its kernels read as it is.
at::Tensor pack_conv_weight(const at::Tensor& weight, int64_t groups, std::optional<int64_t> width);

// As on the CPU, by cuDNN: in its layout for tensor cores, which is channels-last.
at::Tensor direct_conv2d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, int64_t groups,
                         std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm);

// The weight [channels, 1, height, width] as [height, width, channels].
at::Tensor pack_depthwise_weight(const at::Tensor& weight);

at::Tensor depthwise_conv2d(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, std::string attr,
                            OptionalScalars scalars, std::optional<std::string> algorithm);

}  // namespace pt2::cuda

#endif
