// Registers this module's kernels with PyTorch's dispatcher as `pt2::*`, so that a graph calls them like any other op.
//
// Activations are spelled as `mkldnn::_convolution_pointwise` spells them: `attr`, its `scalars`, its `algorithm`.
#include <torch/library.h>

#include "ops/ops.h"

TORCH_LIBRARY_FRAGMENT(pt2, m) {
  m.def("pack_depthwise_weight(Tensor weight) -> Tensor");
  m.def(
      "depthwise_conv2d(Tensor x, Tensor weight, Tensor? bias, int[2] stride, int[2] padding, int[2] dilation, "
      "str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "depthwise_conv3d(Tensor x, Tensor weight, Tensor? bias, int frames, int[3] stride, int[3] padding, "
      "int[3] dilation, str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "conv1x1(Tensor x, Tensor weight, int out_channels, Tensor? bias, Tensor? residual, "
      "str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "preactivated_conv1x1(Tensor[] x, Tensor scale, Tensor shift, Tensor weight, int out_channels, Tensor? bias, "
      "str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "direct_conv2d(Tensor x, Tensor weight, int out_channels, int[2] kernel, Tensor? bias, Tensor? residual, "
      "int[2] stride, int[] padding, int[2] dilation, int groups, str attr, Scalar?[] scalars, str? algorithm) "
      "-> Tensor");
  m.def("pack_conv_weight(Tensor weight, int groups, int? width) -> Tensor");
  m.def(
      "direct_conv3d(Tensor x, Tensor weight, int out_channels, int[3] kernel, Tensor? bias, Tensor? residual, "
      "int[3] stride, int[3] padding, int[3] dilation, str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "winograd_conv3d(Tensor x, Tensor weight, int out_channels, int frames, Tensor? bias, Tensor? residual, "
      "int frame_stride, int[3] padding, int frame_dilation, str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def("pack_transposed_conv_weight(Tensor weight) -> Tensor");
  m.def(
      "transposed_conv(Tensor x, Tensor weight, int out_channels, int[] kernel, Tensor? bias, int[] stride, "
      "int[] padding, int[] output_padding, int[] dilation, str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def("pack_linear_weight(Tensor weight) -> Tensor");
  m.def(
      "linear(Tensor x, Tensor weight, int out_features, Tensor? bias, Tensor? residual, "
      "str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "matmul(Tensor x, Tensor other, Tensor? bias, Tensor? residual, str attr, Scalar?[] scalars, str? algorithm) -> "
      "Tensor");
  m.def("pack_zero_points(Tensor zero_point) -> Tensor");
  m.def(
      "linear_int8(Tensor input, Tensor weight, Tensor? scale=None, Tensor? zero_point=None, Tensor? bias=None) -> "
      "Tensor");
  m.def("widen(Tensor weight) -> Tensor");
  m.def("linear_half(Tensor input, Tensor weight, Tensor? bias=None, bool round_input=False) -> Tensor");
  m.def(
      "squeeze_excite(Tensor x, Tensor reduce, Tensor? reduce_bias, Tensor expand, Tensor? expand_bias, "
      "str attr, str gate) -> Tensor");
  m.def(
      "recurrent(Tensor x, Tensor[] hx, Tensor[] weights, str kind, int hidden, bool biased, bool batch_first, "
      "bool bidirectional) -> (Tensor, Tensor, Tensor)");
  m.def(
      "attention(Tensor q, Tensor k, Tensor v, Tensor? mask, bool is_causal, float? scale, bool safe_softmax, "
      "bool mask_fills) -> Tensor");
  m.def("layer_norm(Tensor x, Tensor? weight, Tensor? bias, float eps) -> Tensor");
  m.def("add_layer_norm(Tensor x, Tensor other, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor)");
  m.def("group_norm(Tensor x, int groups, Tensor? weight, Tensor? bias, float eps) -> Tensor");
  m.def("pack_winograd_weight(Tensor weight) -> Tensor");
  m.def(
      "winograd_conv2d(Tensor x, Tensor weight, int out_channels, Tensor? bias, Tensor? residual, int[2] padding, "
      "str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def(
      "max_pool2d(Tensor x, int[2] kernel, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode) -> Tensor");
  m.def(
      "max_pool3d(Tensor x, int[3] kernel, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode) -> Tensor");
  m.def(
      "avg_pool2d(Tensor x, int[2] kernel, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, "
      "int? divisor_override) -> Tensor");
  m.def("pointwise(Tensor[] inputs, float[] constants, int[] code, int[] results, int[] masks) -> Tensor[]");
  m.def(
      "pointwise_(Tensor(a!)[] out, Tensor[] inputs, float[] constants, int[] code, int[] results, int[] counts) -> "
      "()");
  m.def("round(Tensor x, ScalarType dtype) -> Tensor");
  m.def("pack_3xtf32_weight(Tensor weight) -> Tensor");
  m.def(
      "linear_3xtf32(Tensor x, Tensor weight, int out_features, Tensor? bias, Tensor? residual, "
      "str attr, Scalar?[] scalars, str? algorithm) -> Tensor");
  m.def("cat(Tensor[] tensors, int dim=0, bool any_order=False) -> Tensor");
  m.def("contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)");
  m.def("index(Tensor self, Tensor?[] indices) -> Tensor");
  m.def("topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor, Tensor)");
  m.def("global_average_pool(Tensor x) -> Tensor");
  m.def("pixel_strides(Tensor(a) x) -> Tensor(a)");
}

TORCH_LIBRARY_IMPL(pt2, CPU, m) {
  m.impl("pack_depthwise_weight", TORCH_FN(pt2::pack_depthwise_weight));
  m.impl("depthwise_conv2d", TORCH_FN(pt2::depthwise_conv2d));
  m.impl("depthwise_conv3d", TORCH_FN(pt2::depthwise_conv3d));
  m.impl("direct_conv2d", TORCH_FN(pt2::direct_conv2d));
  m.impl("pack_conv_weight", TORCH_FN(pt2::pack_conv_weight));
  m.impl("direct_conv3d", TORCH_FN(pt2::direct_conv3d));
  m.impl("winograd_conv3d", TORCH_FN(pt2::winograd_conv3d));
  m.impl("pack_transposed_conv_weight", TORCH_FN(pt2::pack_transposed_conv_weight));
  m.impl("transposed_conv", TORCH_FN(pt2::transposed_conv));
  m.impl("pack_linear_weight", TORCH_FN(pt2::pack_linear_weight));
  m.impl("conv1x1", TORCH_FN(pt2::conv1x1));
  m.impl("preactivated_conv1x1", TORCH_FN(pt2::preactivated_conv1x1));
  m.impl("linear", TORCH_FN(pt2::linear));
  m.impl("matmul", TORCH_FN(pt2::matmul));
  m.impl("pack_zero_points", TORCH_FN(pt2::pack_zero_points));
  m.impl("linear_int8", TORCH_FN(pt2::linear_int8));
  m.impl("widen", TORCH_FN(pt2::widen));
  m.impl("linear_half", TORCH_FN(pt2::linear_half));
  m.impl("squeeze_excite", TORCH_FN(pt2::squeeze_excite));
  m.impl("recurrent", TORCH_FN(pt2::recurrent));
  m.impl("attention", TORCH_FN(pt2::attention));
  m.impl("layer_norm", TORCH_FN(pt2::layer_norm));
  m.impl("add_layer_norm", TORCH_FN(pt2::add_layer_norm));
  m.impl("group_norm", TORCH_FN(pt2::group_norm));
  m.impl("pack_winograd_weight", TORCH_FN(pt2::pack_winograd_weight));
  m.impl("winograd_conv2d", TORCH_FN(pt2::winograd_conv2d));
  m.impl("max_pool2d", TORCH_FN(pt2::max_pool2d));
  m.impl("max_pool3d", TORCH_FN(pt2::max_pool3d));
  m.impl("avg_pool2d", TORCH_FN(pt2::avg_pool2d));
  m.impl("pointwise", TORCH_FN(pt2::pointwise));
  m.impl("pointwise_", TORCH_FN(pt2::pointwise_));
  m.impl("round", TORCH_FN(pt2::round));
  m.impl("cat", TORCH_FN(pt2::cat));
  m.impl("contiguous", TORCH_FN(pt2::contiguous));
  m.impl("index", TORCH_FN(pt2::index));
  m.impl("topk", TORCH_FN(pt2::topk));
  m.impl("global_average_pool", TORCH_FN(pt2::global_average_pool));
  m.impl("pixel_strides", TORCH_FN(pt2::pixel_strides));
}
