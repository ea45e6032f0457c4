// Checks shapes that must match, where a kernel reads one tensor by the sizes of another.
#include <ATen/ExpandUtils.h>

#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

void cdistBackward(const Arg& grad, const Arg& x1, const Arg& x2, const Arg& cdist) {
  const at::Tensor left = x1.tensor();
  const at::Tensor right = x2.tensor();
  if (!left.defined() || !right.defined() || left.dim() < 2 || right.dim() < 2) return;
  x2.require(left.size(-1) == right.size(-1), "has points of another dimension than `x1`");
  const auto batchOf = [](const at::Tensor& points) { return points.sizes().slice(0, points.sizes().size() - 2); };
  std::vector<int64_t> sizes = at::infer_size(batchOf(left), batchOf(right));
  sizes.push_back(left.size(-2));
  sizes.push_back(right.size(-2));
  requireSizes(grad, sizes);
  requireSizes(cdist, sizes);
}

void pdistBackward(const Arg& grad, const Arg& self, const Arg& pdist) {
  const at::Tensor points = self.tensor();
  if (!points.defined() || points.dim() == 0) return;
  requireDims(self, 2);
  requireDims(grad, 1);
  requireDims(pdist, 1);
  const int64_t pairs = points.size(0) * (points.size(0) - 1) / 2;
  requireCount(grad, pairs);
  requireCount(pdist, pairs);
}

void pdistGradient(const Arg& self, const Arg& out) {
  if (self.hasTensor() && self.tensor().dim() > 0) requireSizes(out, self.tensor().sizes());
}

void cumulate(const Arg& self, const Arg& values, const Arg& indices) {
  if (!self.hasTensor() || !values.hasTensor() || !indices.hasTensor()) return;
  self.require(self.tensor().numel() > 0, "is empty");
  requireSizes(values, self.tensor().sizes());
  requireSizes(indices, self.tensor().sizes());
}

void gridSamplerBackward(const Arg& gradOutput, const Arg& input, const Arg& grid) {
  const at::Tensor image = input.tensor();
  const at::Tensor places = grid.tensor();
  if (!image.defined() || !places.defined() || image.dim() < 4 || places.dim() != image.dim()) return;
  std::vector<int64_t> sizes = {image.size(0), image.size(1)};
  for (int64_t dim = 1; dim + 1 < places.dim(); ++dim) sizes.push_back(places.size(dim));
  requireSizes(gradOutput, sizes);
}

// Each key has a value. Several heads of queries may share a head of keys.
void attention(const Arg& key, const Arg& value) {
  const at::Tensor keys = key.tensor();
  const at::Tensor values = value.tensor();
  if (!keys.defined() || !values.defined() || keys.dim() < 2 || values.dim() < 2 || keys.size(-2) == values.size(-2)) {
    return;
  }
  value.refuse("has " + std::to_string(values.size(-2)) + " rows, and `key` has " + std::to_string(keys.size(-2)));
}

// The CPU kernel does not broadcast.
void flashAttention(const Arg& query, const Arg& key, const Arg& value) {
  if (!query.hasTensor() || !key.hasTensor() || !value.hasTensor()) return;
  const at::Tensor queries = query.tensor();
  const at::Tensor keys = key.tensor();
  const at::Tensor values = value.tensor();
  attention(key, value);
  if (queries.dim() != 4 || keys.dim() != 4 || values.dim() != 4) return;
  const bool fits = keys.size(0) == queries.size(0) && keys.size(1) == values.size(1) && keys.size(1) > 0 &&
                    queries.size(1) % keys.size(1) == 0;
  key.require(fits, "has another batch or number of heads than the others");
  requireCount(value, keys.numel());
}

void flashAttentionBackward(const Arg& gradOut, const Arg& query, const Arg& key, const Arg& value, const Arg& out,
                            const Arg& logsumexp) {
  const at::Tensor queries = query.tensor();
  if (!queries.defined() || queries.dim() != 4) return;
  requireSizes(gradOut, queries.sizes());
  requireSizes(out, queries.sizes());
  requireCount(logsumexp, queries.size(0) * queries.size(1) * queries.size(2));
  for (const Arg* each : {&gradOut, &query, &key, &value, &out}) {
    const at::Tensor tensor = each->tensor();
    const bool rows = !tensor.defined() || (tensor.stride(-1) == 1 && tensor.is_non_overlapping_and_dense());
    each->require(rows, "must have rows without gaps, and no element twice");
  }
}

// Such a small scale gives no pixel, and filters of unbounded size; if it is that much smaller than the sizes say, the
// kernel would read pixels outside of the image.
void requireScale(const Arg& argument, int64_t from, int64_t to) {
  if (!argument.value().isDouble()) return;
  const double scale = argument.value().toDouble();
  if (!(scale > 0)) return;
  argument.require(scale * static_cast<double>(from) >= 0.5, "leaves no pixel");
  const double last = (static_cast<double>(to) - 0.5) / scale;
  argument.require(last <= static_cast<double>(from), "does not fit the sizes");
}

void antialias(const Arg& self, const Arg& outputSize, const Arg& alignCorners, const Arg& scalesH,
               const Arg& scalesW) {
  const at::Tensor image = self.tensor();
  const at::Tensor size = outputSize.integers();
  if (!image.defined() || image.dim() != 4 || !size.defined() || size.numel() != 2 || alignCorners.isTrue()) return;
  requireScale(scalesH, image.size(2), size[0].item<int64_t>());
  requireScale(scalesW, image.size(3), size[1].item<int64_t>());
}

void antialiasBackward(const Arg& outputSize, const Arg& inputSize, const Arg& alignCorners, const Arg& scalesH,
                       const Arg& scalesW) {
  const at::Tensor to = outputSize.integers();
  const at::Tensor from = inputSize.integers();
  if (!from.defined() || from.numel() != 4 || !to.defined() || to.numel() != 2 || alignCorners.isTrue()) return;
  requireScale(scalesH, from[2].item<int64_t>(), to[0].item<int64_t>());
  requireScale(scalesW, from[3].item<int64_t>(), to[1].item<int64_t>());
}

// The mask has rows by columns, batch by columns, or all dimensions.
void maskedSoftmax(const Arg& self, const Arg& mask, const Arg& maskType) {
  constexpr int64_t kRows = 0, kBatch = 1, kAll = 2;
  const at::Tensor scores = self.tensor();
  if (!scores.defined()) return;
  const int64_t type = maskType.integer(kAll);
  if (type != kRows && type != kBatch) return requireSizes(mask, scores.sizes());
  requireDims(self, 4);
  requireSizes(mask, {scores.size(type == kRows ? 2 : 0), scores.size(3)});
}

void maskedSoftmaxBackward(const Arg& gradOutput, const Arg& output, const Arg& mask) {
  if (!output.hasTensor()) return;
  requireSizes(gradOutput, output.tensor().sizes());
  requireSizes(mask, output.tensor().sizes());
}

// The kernel reads the weight by the given sizes.
void sizeOfWeight(const Arg& weight, const Arg& kernelSize) {
  const at::Tensor filters = weight.tensor();
  const at::Tensor size = kernelSize.integers();
  if (!filters.defined() || !size.defined()) return;
  kernelSize.require(filters.dim() == size.numel() + 2, "has another number of dimensions than `weight`");
  for (int64_t i = 0; i < size.numel(); ++i) {
    kernelSize.require(filters.size(i + 2) == size[i].item<int64_t>(), "is not the size of `weight`");
  }
}

}  // namespace

const CheckTable& shapeChecks() {
  static const CheckTable table = {
      {{"aten::_cdist_backward", "aten::_cdist_backward.out"}, {reads<cdistBackward>("grad", "x1", "x2", "cdist")}},
      {{"aten::_pdist_backward"}, {reads<pdistBackward>("grad", "self", "pdist")}},
      {{"aten::_pdist_backward.out"},
       {reads<pdistBackward>("grad", "self", "pdist"), reads<pdistGradient>("self", "out")}},
      // This is the signature from 2.14 on.
      {{"aten::_cdist_backward", "aten::_cdist_backward.out"},
       {reads<cdistBackward>("grad_output", "x1", "x2", "cdist")}},
      {{"aten::_pdist_backward"}, {reads<pdistBackward>("grad_output", "self", "pdist")}},
      {{"aten::_pdist_backward.out"},
       {reads<pdistBackward>("grad_output", "self", "pdist"), reads<pdistGradient>("self", "out")}},
      {{"aten::_cummax_helper", "aten::_cummin_helper"}, {reads<cumulate>("self", "values", "indices")}},
      {{"aten::grid_sampler_2d_backward", "aten::grid_sampler_2d_backward.out", "aten::grid_sampler_3d_backward",
        "aten::grid_sampler_3d_backward.out"},
       {reads<gridSamplerBackward>("grad_output", "input", "grid")}},
      {{"aten::scaled_dot_product_attention"}, {reads<attention>("key", "value")}},
      {{"aten::_scaled_dot_product_flash_attention_for_cpu"}, {reads<flashAttention>("query", "key", "value")}},
      {{"aten::_scaled_dot_product_flash_attention_for_cpu_backward"},
       {reads<flashAttention>("query", "key", "value"),
        reads<flashAttentionBackward>("grad_out", "query", "key", "value", "out", "logsumexp")}},
      {{"aten::_upsample_bilinear2d_aa", "aten::_upsample_bilinear2d_aa.out", "aten::_upsample_bicubic2d_aa",
        "aten::_upsample_bicubic2d_aa.out", "aten::_upsample_lanczos2d_aa", "aten::_upsample_lanczos2d_aa.out"},
       {reads<antialias>("self", "output_size", "align_corners", "scales_h", "scales_w")}},
      // The sizes follow from the scales here.
      {{"aten::_upsample_bilinear2d_aa.vec", "aten::_upsample_bicubic2d_aa.vec", "aten::_upsample_lanczos2d_aa.vec"},
       {}},
      {{"aten::_upsample_bilinear2d_aa_backward", "aten::_upsample_bilinear2d_aa_backward.grad_input",
        "aten::_upsample_bicubic2d_aa_backward", "aten::_upsample_bicubic2d_aa_backward.grad_input",
        "aten::_upsample_lanczos2d_aa_backward", "aten::_upsample_lanczos2d_aa_backward.grad_input"},
       {reads<antialiasBackward>("output_size", "input_size", "align_corners", "scales_h", "scales_w")}},
      {{"aten::_masked_softmax", "aten::_masked_softmax.out"}, {reads<maskedSoftmax>("self", "mask", "mask_type")}},
      {{"aten::_masked_softmax_backward", "aten::_masked_softmax_backward.out"},
       {reads<maskedSoftmaxBackward>("grad_output", "output", "mask")}},
      {{"aten::slow_conv_transpose2d", "aten::slow_conv_transpose2d.out", "aten::slow_conv_transpose3d",
        "aten::slow_conv_transpose3d.out", "aten::slow_conv_dilated2d", "aten::slow_conv_dilated2d.out",
        "aten::slow_conv_dilated3d", "aten::slow_conv_dilated3d.out", "aten::slow_conv3d", "aten::slow_conv3d.out",
        "aten::slow_conv3d_forward", "aten::slow_conv3d_forward.output", "aten::thnn_conv2d", "aten::thnn_conv2d.out",
        "aten::_slow_conv2d_forward", "aten::_slow_conv2d_forward.output"},
       {reads<sizeOfWeight>("weight", "kernel_size")}},
  };
  return table;
}

}  // namespace pt2
