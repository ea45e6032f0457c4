// Checks numbers and lists that an op cannot take: empty ones, sizes beyond the tensor's, mixed dtypes.
#include <ATen/ops/result_type.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "failure.h"
#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

void notEmpty(const Arg& tensors) { tensors.require(!tensors.tensors().empty(), "is empty"); }

void chunkCat(const Arg& tensors, const Arg& dim, const Arg& numChunks) {
  const std::vector<at::Tensor> given = tensors.tensors();
  int64_t along = dim.integer(0);
  // The dimension counts from the end of the first tensor.
  if (along < 0 && !given.empty() && given[0].defined()) along += given[0].dim();
  numChunks.require(numChunks.integer(0) > 0, "must be positive");
  for (const at::Tensor& tensor : given) {
    dim.require(!tensor.defined() || (along >= 0 && along < tensor.dim()), "is no dimension of a tensor");
  }
}

void foreachCopy(const Arg& self, const Arg& src) {
  src.require(self.tensors().size() == src.tensors().size(), "has not as many tensors as `self`");
}

// A step below 1 becomes 0 for integers.
void requireStep(const Arg& step, c10::ScalarType dtype) {
  if (!step.value().isScalar()) return;
  const bool whole = !c10::isIntegralType(dtype, true) || !(std::abs(step.value().toScalar().toDouble()) < 1);
  step.require(whole, "is below 1");
}

void rangeOfDtype(const Arg& step, const Arg& dtype) {
  if (dtype.value().isInt()) requireStep(step, static_cast<c10::ScalarType>(dtype.value().toInt()));
}

void rangeInto(const Arg& step, const Arg& out) {
  if (out.hasTensor()) requireStep(step, out.tensor().scalar_type());
}

void observe(const Arg& self, const Arg& runningMin, const Arg& runningMax, const Arg& scale, const Arg& zeroPoint,
             const Arg& chAxis, const Arg& perRowFakeQuant) {
  const at::Tensor observed = self.tensor();
  if (!observed.defined()) return;
  const bool perRow = perRowFakeQuant.isTrue();
  const int64_t axis = chAxis.integer(0);
  chAxis.require(!perRow || (axis >= 0 && axis < observed.dim()), "is no dimension of `self`");
  const int64_t rows = perRow ? observed.size(axis) : 1;
  requireCount(runningMin, rows, OrEmpty::Yes);
  requireCount(runningMax, rows, OrEmpty::Yes);
  for (const Arg* each : {&scale, &zeroPoint}) {
    const at::Tensor tensor = each->tensor();
    const bool fits = !tensor.defined() || tensor.numel() == rows || tensor.numel() <= 1;
    each->require(fits, "has not one element for each row");
  }
}

// The kernels read all tensors with the dtype of the first one.
void oneDtype(Args arguments) {
  const at::Tensor first = arguments.front().tensor();
  if (!first.defined()) return;
  for (const Arg& argument : arguments.subspan(1)) {
    const at::Tensor other = argument.tensor();
    if (!other.defined() || other.scalar_type() == first.scalar_type()) continue;
    throw Failure("libtorch.argument", "`" + argument.op() + "` takes tensors of one dtype.");
  }
}

void requireHeads(const Arg& argument, int64_t heads, int64_t width) {
  argument.require(heads > 0 && width > 0 && width % heads == 0, "does not divide the width");
}

// The bias holds those of queries, keys and values.
void requireProjection(const Arg& bias, int64_t width) { requireCount(bias, 3 * width); }

void splitHeads(const Arg& qkv, const Arg& qkvBias, const Arg& numHeads) {
  const at::Tensor projected = qkv.tensor();
  if (!projected.defined()) return;
  requireDims(qkv, 3);
  qkv.require(projected.size(2) % 3 == 0, "is not made of queries, keys and values");
  requireHeads(numHeads, numHeads.integer(0), projected.size(2) / 3);
  requireProjection(qkvBias, projected.size(2) / 3);
}

// The sequences have `embed_dim` features, which heads divide. The mask has rows by columns (type 0), batch by columns
// (1), or all dimensions.
void selfAttention(const Arg& sequences, const Arg& embedDim, const Arg& heads, const Arg& qkvBias, const Arg& mask,
                   const Arg& maskType) {
  constexpr int64_t kRows = 0, kBatch = 1, kAll = 2;
  const int64_t width = embedDim.integer(0);
  requireHeads(heads, heads.integer(0), width);
  requireProjection(qkvBias, width);
  const at::Tensor input = sequences.tensor();
  if (!input.defined()) return;
  requireDims(sequences, 3);
  const int64_t batch = input.size(0), steps = input.size(1);
  switch (maskType.integer(kAll)) {
    case kRows: return requireSizes(mask, {steps, steps});
    case kBatch: return requireSizes(mask, {batch, steps});
    default: return requireSizes(mask, {batch, heads.integer(0), steps, steps});
  }
}

void requirePositive(const Arg& argument) {
  const at::Tensor sizes = argument.integers();
  argument.require(!sizes.defined() || sizes.numel() == 0 || sizes.min().item<int64_t>() > 0, "must be positive");
}

void reorderConvolution(const Arg& self, const Arg& stride, const Arg& dilation, const Arg& groups) {
  requirePositive(stride);
  requirePositive(dilation);
  groups.require(groups.integer(1) > 0, "must be positive");
  self.require(!self.hasTensor() || self.tensor().numel() > 0, "is empty");
}

void reorderLinear(const Arg& X, const Arg& batchSize) {
  requireDims(X, 2);
  X.require(X.hasTensor() && X.tensor().numel() > 0, "must be a matrix with elements");
  batchSize.require(batchSize.integer(0) > 0 && batchSize.integer(0) < INT32_MAX, "must be positive");
}

constexpr int64_t kSobolBits = 30;
constexpr int64_t kSobolDimensions = 21201;

// Sobol's directions have a row for each dimension.
void sobolState(const Arg& state, const Arg& dimension) {
  const int64_t rows = dimension.integer(0);
  dimension.require(rows > 0 && rows <= kSobolDimensions, "must be between 1 and 21201");
  requireSizes(state, {rows, kSobolBits});
}

void sobolPoint(const Arg& quasi, const Arg& dimension) { requireCount(quasi, dimension.integer(0)); }

void sobolCount(const Arg& n) {
  constexpr int64_t kMost = int64_t{1} << kSobolBits;
  n.require(n.integer(0) <= kMost, "is beyond the points that there are");
}

void sobolMatrices(const Arg& ltm, const Arg& dimension) {
  requireSizes(ltm, {dimension.integer(0), kSobolBits, kSobolBits});
}

void adaptivePool(const Arg& outputSize) {
  constexpr int64_t kMost = int64_t{1} << 20;
  const at::Tensor size = outputSize.integers();
  if (!size.defined() || size.numel() == 0) return;
  const bool empty = size.min().item<int64_t>() == 0 && size.max().item<int64_t>() > kMost;
  outputSize.require(!empty, "describes an empty result, at great length");
}

// The quotient that no integer is ends the process.
void truncatedQuotient(const Arg& self, const Arg& other, const Arg& roundingMode) {
  const at::Tensor dividend = self.tensor();
  if (!dividend.defined() || !roundingMode.value().isString() || roundingMode.value().toStringRef() != "trunc") return;
  const bool isTensor = other.hasTensor();
  if (!isTensor && !other.value().isScalar()) return;
  const at::ScalarType dtype =
      isTensor ? at::result_type(dividend, other.tensor()) : at::result_type(dividend, other.value().toScalar());
  if (dtype != at::kInt && dtype != at::kLong) return;
  const int64_t least = dtype == at::kInt ? INT32_MIN : INT64_MIN;
  if (!isTensor && other.value().toScalar().toLong() != -1) return;
  at::Tensor overflows = dividend.eq(least);
  if (isTensor) overflows = overflows.logical_and(other.tensor().eq(-1));
  other.require(!overflows.any().item<bool>(), "is -1, and `self` has the least number of its dtype");
}

// A quantized dtype has no sign bit that a view could reinterpret.
void notQuantized(const Arg& self) {
  const bool quantized = self.value().isTensor() && self.value().toTensor().is_quantized();
  self.require(!quantized, "is quantized");
}

}  // namespace

const CheckTable& valueChecks() {
  static const CheckTable table = {
      {{"aten::_stack", "aten::_stack.out"}, {reads<notEmpty>("tensors")}},
      {{"aten::_chunk_cat", "aten::_chunk_cat.out"}, {reads<chunkCat>("tensors", "dim", "num_chunks")}},
      {{"aten::_foreach_copy", "aten::_foreach_copy.out"}, {reads<foreachCopy>("self", "src")}},
      {{"aten::range", "aten::range.out_"}, {}},
      {{"aten::range.step"}, {reads<rangeOfDtype>("step", "dtype")}},
      {{"aten::range.out"}, {reads<rangeInto>("step", "out")}},
      {{"aten::_fused_moving_avg_obs_fq_helper", "aten::_fused_moving_avg_obs_fq_helper.out",
        "aten::_fused_moving_avg_obs_fq_helper_functional"},
       {reads<observe>("self", "running_min", "running_max", "scale", "zero_point", "ch_axis", "per_row_fake_quant")}},
      {{"aten::_transform_bias_rescale_qkv", "aten::_transform_bias_rescale_qkv.out"},
       {reads<oneDtype>("qkv", "qkv_bias"), reads<splitHeads>("qkv", "qkv_bias", "num_heads")}},
      {{"aten::_native_multi_head_attention", "aten::_native_multi_head_attention.out"},
       {reads<oneDtype>("query", "key", "value", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias"),
        reads<selfAttention>("query", "embed_dim", "num_head", "qkv_bias", "mask", "mask_type")}},
      {{"aten::_transformer_encoder_layer_fwd", "aten::_transformer_encoder_layer_fwd.out"},
       {reads<oneDtype>("src", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias", "norm_weight_1", "norm_bias_1",
                        "norm_weight_2", "norm_bias_2", "ffn_weight_1", "ffn_bias_1", "ffn_weight_2", "ffn_bias_2"),
        reads<selfAttention>("src", "embed_dim", "num_heads", "qkv_bias", "mask", "mask_type")}},
      {{"mkldnn::_reorder_convolution_weight", "mkldnn::_reorder_convolution_transpose_weight"},
       {reads<reorderConvolution>("self", "stride", "dilation", "groups")}},
      {{"mkl::_mkl_reorder_linear_weight"}, {reads<reorderLinear>("X", "batch_size")}},
      {{"aten::_sobol_engine_draw"},
       {reads<sobolState>("sobolstate", "dimension"), reads<sobolPoint>("quasi", "dimension")}},
      {{"aten::_sobol_engine_ff_"},
       {reads<sobolState>("sobolstate", "dimension"), reads<sobolPoint>("self", "dimension"), reads<sobolCount>("n")}},
      {{"aten::_sobol_engine_scramble_"},
       {reads<sobolState>("self", "dimension"), reads<sobolMatrices>("ltm", "dimension")}},
      {{"aten::_sobol_engine_initialize_state_"}, {reads<sobolState>("self", "dimension")}},
      {{"aten::adaptive_max_pool2d", "aten::adaptive_max_pool2d.out", "aten::adaptive_max_pool3d",
        "aten::adaptive_max_pool3d.out"},
       {reads<adaptivePool>("output_size")}},
      {{"aten::div.Tensor", "aten::div.out", "aten::div.Scalar", "aten::div.Scalar_out", "aten::div_.Tensor",
        "aten::div_.Scalar", "aten::divide.Tensor", "aten::divide.out", "aten::divide.Scalar", "aten::divide_.Tensor",
        "aten::divide_.Scalar"},
       {}},
      {{"aten::div.Tensor_mode", "aten::div.out_mode", "aten::div.Scalar_mode", "aten::div.Scalar_mode_out",
        "aten::div_.Tensor_mode", "aten::div_.Scalar_mode", "aten::divide.Tensor_mode", "aten::divide.out_mode",
        "aten::divide.Scalar_mode", "aten::divide_.Tensor_mode", "aten::divide_.Scalar_mode"},
       {reads<truncatedQuotient>("self", "other", "rounding_mode")}},
      {{"aten::_neg_view", "aten::_neg_view_copy", "aten::_neg_view_copy.out"}, {reads<notQuantized>("self")}},
  };
  return table;
}

}  // namespace pt2
