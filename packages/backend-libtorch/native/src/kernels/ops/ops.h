// The C++ functions behind the `pt2::*` ops. Their schemas are in `library.cc`.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "activation.h"

namespace pt2 {

at::Tensor pack_depthwise_weight(const at::Tensor& weight);

at::Tensor depthwise_conv2d(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, std::string attr,
                            OptionalScalars scalars, std::optional<std::string> algorithm);

/// The same for videos, [batch, channels, frames, height, width]. The weight is [channels, 1, kernel_h * frames,
/// kernel_w], packed by `pack_depthwise_weight`, where `frames` are those of the kernel.
at::Tensor depthwise_conv3d(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            int64_t frames, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                            std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm);

/// Packs the weight of a convolution, whose channels come last: those of `groups` one after the other, each in panels
/// of its own. `width` is that of its results where it is known, which decides about speed alone.
at::Tensor pack_conv_weight(const at::Tensor& weight, int64_t groups, std::optional<int64_t> width);

/// A convolution of small images, of images with few channels, or of sequences: [batch, channels, width] or [batch,
/// channels, height, width], with any strides, to the same in channels-last order. `padding` is that of both sides of
/// height and width, or of the image's four sides: above, left, below, right. The weight is [out_channels, kernel_h *
/// kernel_w * channels], packed by `pack_conv_weight`.
at::Tensor direct_conv2d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, int64_t groups,
                         std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm);

/// A convolution of videos, [batch, channels, frames, height, width], to the same in channels-last order. The weight is
/// [out_channels, kernel_h * kernel_w * kernel_frames * channels], packed by `pack_conv_weight`.
at::Tensor direct_conv3d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, std::string attr,
                         OptionalScalars scalars, std::optional<std::string> algorithm);

/// The same with kernels of so many frames of 3 x 3 pixels, none of them left out; the weight is that of
/// `winograd_conv2d` with kernel_frames * channels channels.
at::Tensor winograd_conv3d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, int64_t frames,
                           const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                           int64_t frame_stride, at::IntArrayRef padding, int64_t frame_dilation, std::string attr,
                           OptionalScalars scalars, std::optional<std::string> algorithm);

/// Packs the weight [in, out, ...kernel] of a transposed convolution, in blocks of output channels.
at::Tensor pack_transposed_conv_weight(const at::Tensor& weight);

/// A transposed convolution of sequences, images or videos, with any strides, to the same in channels-last order.
at::Tensor transposed_conv(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                           const std::optional<at::Tensor>& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                           at::IntArrayRef output_padding, at::IntArrayRef dilation, std::string attr,
                           OptionalScalars scalars, std::optional<std::string> algorithm);

/// Packs the weight [out, in] of a product.
at::Tensor pack_linear_weight(const at::Tensor& weight);

at::Tensor linear(const at::Tensor& x, const at::Tensor& packed, int64_t out_features,
                  const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual, std::string attr,
                  OptionalScalars scalars, std::optional<std::string> algorithm);

/// `aten::matmul` of matrices and batches of them, plus a bias for each column. The result is contiguous.
at::Tensor matmul(const at::Tensor& x, const at::Tensor& other, const std::optional<at::Tensor>& bias,
                  const std::optional<at::Tensor>& residual, std::string attr, OptionalScalars scalars,
                  std::optional<std::string> algorithm);

/// Zero points for `linear_int8`: floats, or an empty tensor where all are zero.
at::Tensor pack_zero_points(const at::Tensor& zero_point);

/// `linear(input, (weight - zero_point) * scale, bias)` of an int8 weight [out, in], with a number of `scale` and
/// `zero_point` for each row and group of columns: [out, groups].
at::Tensor linear_int8(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& scale,
                       const std::optional<at::Tensor>& zero_point, const std::optional<at::Tensor>& bias);

/// A weight in float32.
at::Tensor widen(const at::Tensor& weight);

/// `linear(input, weight, bias)` of a weight [out, in] in half precision, the rest in float32. `round_input`:
/// processors that multiply bfloat16 may round many rows to it, if the weight is bfloat16.
at::Tensor linear_half(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       bool round_input);

/// `linear` over the channels of an image: the same arguments, channels-last in and out.
at::Tensor conv1x1(const at::Tensor& x, const at::Tensor& packed, int64_t out_channels,
                   const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual, std::string attr,
                   OptionalScalars scalars, std::optional<std::string> algorithm);

/// `conv1x1` of max(x * scale + shift, 0), with a number for each channel in `scale` and `shift`. The channels of all
/// of `x` lie one behind the other.
at::Tensor preactivated_conv1x1(at::TensorList x, const at::Tensor& scale, const at::Tensor& shift,
                                const at::Tensor& packed, int64_t out_channels, const std::optional<at::Tensor>& bias,
                                std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm);

at::Tensor squeeze_excite(const at::Tensor& x, const at::Tensor& reduce, const std::optional<at::Tensor>& reduce_bias,
                          const at::Tensor& expand, const std::optional<at::Tensor>& expand_bias, std::string attr,
                          std::string gate);

/// `aten::gru`, `lstm`, `rnn_tanh` and `rnn_relu` of three dimensions, and without dropout: the outputs, the last
/// states, and the cells of an LSTM. `weights` are those of the op, the matrices packed by `pack_linear_weight`.
std::tuple<at::Tensor, at::Tensor, at::Tensor> recurrent(const at::Tensor& x, at::TensorList hx, at::TensorList weights,
                                                         std::string kind, int64_t hidden, bool biased,
                                                         bool batch_first, bool bidirectional);

/// `k` and `v` may be in half precision. Rows of which the mask leaves nothing are zeros with a safe softmax, as in
/// PyTorch's own op, and NaN otherwise. A mask that fills replaces scores where it is -inf, NaN too; others are added.
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const std::optional<at::Tensor>& mask, bool is_causal, std::optional<double> scale,
                     bool safe_softmax, bool mask_fills);

at::Tensor layer_norm(const at::Tensor& x, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps);

/// The sum, and its norm.
std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& x, const at::Tensor& other,
                                                  const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps);

/// `aten::group_norm` of a sequence or an image, channels-last.
at::Tensor group_norm(const at::Tensor& x, int64_t groups, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps);

at::Tensor pack_winograd_weight(const at::Tensor& weight);

/// A 3 x 3 convolution of stride 1, channels-last.
at::Tensor winograd_conv2d(const at::Tensor& x, const at::Tensor& packed, int64_t out_channels,
                           const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                           at::IntArrayRef padding, std::string attr, OptionalScalars scalars,
                           std::optional<std::string> algorithm);

/// The same for videos: [batch, channels, frames, height, width].
at::Tensor max_pool3d(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                      at::IntArrayRef dilation, bool ceil_mode);

/// Channels-last in and out, like everything here that takes images.
at::Tensor max_pool2d(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                      at::IntArrayRef dilation, bool ceil_mode);
at::Tensor avg_pool2d(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                      bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override);

/// Several elementwise ops as one. Registers are numbered: the inputs (float32, or bool, which is read as 0 and 1),
/// then the constants, then those that instructions write; `code` is a list of instructions of five numbers (see
/// `PointwiseFn`). Returns the registers `results` as float32 and `masks` as bool, in the shape that the inputs
/// broadcast to; the first input decides the order of their memory.
std::vector<at::Tensor> pointwise(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                                  at::IntArrayRef results, at::IntArrayRef masks);

/// Several passes of `pointwise`, one after another, whose results are written to `out`: tensors of the shape that the
/// inputs of a pass broadcast to, which may themselves be inputs of that pass or of later ones. `counts` has four
/// numbers for each pass: how many of `inputs`, `constants`, `code`, and `results` are its own; it writes to as many of
/// `out` as it has results. Nothing is written when any pass is refused.
void pointwise_(at::TensorList out, at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                at::IntArrayRef results, at::IntArrayRef counts);

/// `x.to(dtype).to(float32)`, of half precision.
at::Tensor round(const at::Tensor& x, at::ScalarType dtype);

/// `aten::cat`, whose result this is, whatever the tensors. `any_order`: that of sequences whose channels lie side by
/// side may lie so too.
at::Tensor cat(at::TensorList tensors, int64_t dim, bool any_order);

/// `aten::contiguous`, whose result this is.
at::Tensor contiguous(const at::Tensor& self, at::MemoryFormat format);

/// `aten::index`, whose result this is, whatever the indices.
at::Tensor index(const at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices);

/// `aten::topk`, whose results these are, whatever the elements.
std::tuple<at::Tensor, at::Tensor> topk(const at::Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted);

/// The same images. Where pixels lie one after the other, so that ops of PyTorch see it: they go by all strides, and
/// one of a dimension of size 1 may be any number.
at::Tensor pixel_strides(const at::Tensor& x);

/// The mean of each channel, as [batch, channels, 1, 1].
at::Tensor global_average_pool(const at::Tensor& x);

}  // namespace pt2
