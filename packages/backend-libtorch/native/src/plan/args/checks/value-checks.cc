#include <cmath>
#include <string>
#include <vector>

#include "failure.h"
#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// (tensors, dim)
void stack(const CallArguments& call) { require(!call.tensors(0).empty(), call, "tensors", "is empty"); }

// (tensors, dim, num_chunks)
void chunkCat(const CallArguments& call) {
  const auto tensors = call.tensors(0);
  int64_t dim = call.integer(1, 0);
  // Counted from the end of the first one.
  if (dim < 0 && !tensors.empty() && tensors[0].defined()) dim += tensors[0].dim();
  require(call.integer(2, 0) > 0, call, "num_chunks", "must be positive");
  for (const at::Tensor& tensor : tensors) {
    require(!tensor.defined() || (dim >= 0 && dim < tensor.dim()), call, "dim", "is no dimension of a tensor");
  }
}

// (self, src, non_blocking)
void foreachCopy(const CallArguments& call) {
  require(call.tensors(0).size() == call.tensors(1).size(), call, "src", "has not as many tensors as `self`");
}

// (start, end, step, dtype, …), or with `out` behind the step: a step below 1 is none among integers.
void range(const CallArguments& call) {
  if (call.values.size() < 4 || !call.values[2].isScalar()) return;
  const at::Tensor out = call.tensor(3);
  const bool named = call.values[3].isInt();
  if (!out.defined() && !named) return;
  const auto dtype = out.defined() ? out.scalar_type() : static_cast<c10::ScalarType>(call.values[3].toInt());
  const bool whole = !c10::isIntegralType(dtype, true) || !(std::abs(call.values[2].toScalar().toDouble()) < 1);
  require(whole, call, "step", "is below 1");
}

// (self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max,
// ch_axis, per_row_fake_quant, …)
void observe(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  if (!self.defined()) return;
  const bool perRow = call.integer(11, 0) != 0;
  const int64_t axis = call.integer(10, 0);
  require(!perRow || (axis >= 0 && axis < self.dim()), call, "ch_axis", "is no dimension of `self`");
  const int64_t rows = perRow ? self.size(axis) : 1;
  requireCount(call, "running_min", call.tensor(3), rows, true);
  requireCount(call, "running_max", call.tensor(4), rows, true);
  for (const size_t place : {size_t{5}, size_t{6}}) {
    const at::Tensor tensor = call.tensor(place);
    const bool fits = !tensor.defined() || tensor.numel() == rows || tensor.numel() <= 1;
    require(fits, call, place == 5 ? "scale" : "zero_point", "has not one element for each row");
  }
}

// All tensors among some arguments are of one dtype: kernels read them as that of the first.
void requireOneDtype(const CallArguments& call, size_t from, size_t to) {
  const at::Tensor first = call.tensor(from);
  for (size_t at = from + 1; first.defined() && at < to && at < call.values.size(); ++at) {
    const at::Tensor other = call.tensor(at);
    if (!other.defined() || other.scalar_type() == first.scalar_type() || other.scalar_type() == c10::kBool) continue;
    throw Failure("libtorch.argument", "`" + call.op + "` takes tensors of one dtype.");
  }
}

void requireHeads(const CallArguments& call, const char* name, int64_t heads, int64_t width) {
  require(heads > 0 && width > 0 && width % heads == 0, call, name, "does not divide the width");
}

// Of queries, keys and values at once.
void requireProjection(const CallArguments& call, const char* name, size_t at, int64_t width) {
  requireCount(call, name, call.tensor(at), 3 * width);
}

// (qkv, qkv_bias, num_heads)
void splitHeads(const CallArguments& call) {
  const at::Tensor qkv = call.tensor(0);
  if (!qkv.defined()) return;
  requireDims(call, "qkv", qkv, 3);
  requireOneDtype(call, 0, 2);
  require(qkv.size(2) % 3 == 0, call, "qkv", "is not made of queries, keys and values");
  requireHeads(call, "num_heads", call.integer(2, 0), qkv.size(2) / 3);
  requireProjection(call, "qkv_bias", 1, qkv.size(2) / 3);
}

// As rows by columns (0), batch by columns (1), or all of them.
void requireMask(const CallArguments& call, size_t at, const at::Tensor& input, int64_t heads) {
  const at::Tensor mask = call.tensor(at);
  if (!mask.defined() || !input.defined() || input.dim() != 3) return;
  const int64_t batch = input.size(0), steps = input.size(1);
  switch (call.integer(at == 9 ? 12 : at + 1, 2)) {
    case 0: return requireSizes(call, "mask", mask, {steps, steps});
    case 1: return requireSizes(call, "mask", mask, {batch, steps});
    default: return requireSizes(call, "mask", mask, {batch, heads, steps, steps});
  }
}

// (query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, …)
void multiHead(const CallArguments& call) {
  const int64_t width = call.integer(3, 0);
  requireOneDtype(call, 0, 9);
  requireHeads(call, "num_head", call.integer(4, 0), width);
  requireProjection(call, "qkv_bias", 6, width);
  requireMask(call, 9, call.tensor(0), call.integer(4, 0));
  if (call.tensor(0).defined()) requireDims(call, "query", call.tensor(0), 3);
}

// (src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1,
// norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask, …)
void encoderLayer(const CallArguments& call) {
  const int64_t width = call.integer(1, 0);
  requireOneDtype(call, 0, 18);
  requireHeads(call, "num_heads", call.integer(2, 0), width);
  requireProjection(call, "qkv_bias", 4, width);
  requireMask(call, 18, call.tensor(0), call.integer(2, 0));
  if (call.tensor(0).defined()) requireDims(call, "src", call.tensor(0), 3);
}

void requirePositive(const CallArguments& call, const char* name, size_t at) {
  const at::Tensor sizes = call.integers(at);
  require(!sizes.defined() || sizes.numel() == 0 || sizes.min().item<int64_t>() > 0, call, name, "must be positive");
}

// Strides, dilations and groups from a place on.
template <size_t Stride>
void reorderConvolution(const CallArguments& call) {
  requirePositive(call, "stride", Stride);
  requirePositive(call, "dilation", Stride + 1);
  require(call.integer(Stride + 2, 1) > 0, call, "groups", "must be positive");
  const at::Tensor weight = call.tensor(0);
  require(!weight.defined() || weight.numel() > 0, call, "self", "is empty");
}

// (X, batch_size)
void reorderLinear(const CallArguments& call) {
  requireDims(call, "X", call.tensor(0), 2);
  require(call.tensor(0).defined() && call.tensor(0).numel() > 0, call, "X", "must be a matrix with elements");
  require(call.integer(1, 0) > 0 && call.integer(1, 0) < INT32_MAX, call, "batch_size", "must be positive");
}

constexpr int64_t kSobolBits = 30;
constexpr int64_t kSobolDimensions = 21201;

// Sobol's directions: a row for each dimension.
void requireSobol(const CallArguments& call, size_t state, size_t dimensionAt) {
  const int64_t dimension = call.integer(dimensionAt, 0);
  require(dimension > 0 && dimension <= kSobolDimensions, call, "dimension", "must be between 1 and 21201");
  requireSizes(call, "sobolstate", call.tensor(state), {dimension, kSobolBits});
}

// (quasi, n, sobolstate, dimension, num_generated, dtype)
void sobolDraw(const CallArguments& call) {
  requireSobol(call, 2, 3);
  requireCount(call, "quasi", call.tensor(0), call.integer(3, 0));
}

// (self, n, sobolstate, dimension, num_generated)
void sobolForward(const CallArguments& call) {
  constexpr int64_t kMost = int64_t{1} << kSobolBits;
  sobolDraw(call);
  require(call.integer(1, 0) <= kMost, call, "n", "is beyond the points that there are");
}

// (self, ltm, dimension)
void sobolScramble(const CallArguments& call) {
  requireSobol(call, 0, 2);
  requireSizes(call, "ltm", call.tensor(1), {call.integer(2, 0), kSobolBits, kSobolBits});
}

// (self, dimension)
void sobolInitialize(const CallArguments& call) { requireSobol(call, 0, 1); }

// (self, output_size)
void adaptivePool(const CallArguments& call) {
  constexpr int64_t kMost = int64_t{1} << 20;
  const at::Tensor size = call.integers(1);
  if (!size.defined() || size.numel() == 0) return;
  const bool empty = size.min().item<int64_t>() == 0 && size.max().item<int64_t>() > kMost;
  require(!empty, call, "output_size", "describes an empty result, at great length");
}

// (self, …): what is quantized has no sign bit that a view could flip.
void negatedView(const CallArguments& call) {
  const bool quantized = call.values[0].isTensor() && call.values[0].toTensor().is_quantized();
  require(!quantized, call, "self", "is quantized");
}

}  // namespace

const CheckTable& valueChecks() {
  static const CheckTable table = {
      {"aten::_stack", stack},
      {"aten::_chunk_cat", chunkCat},
      {"aten::_foreach_copy", foreachCopy},
      {"aten::range", range},
      {"aten::_fused_moving_avg_obs_fq_helper", observe},
      {"aten::_fused_moving_avg_obs_fq_helper_functional", observe},
      {"aten::_transform_bias_rescale_qkv", splitHeads},
      {"aten::_native_multi_head_attention", multiHead},
      {"aten::_transformer_encoder_layer_fwd", encoderLayer},
      {"mkldnn::_reorder_convolution_weight", reorderConvolution<2>},
      {"mkldnn::_reorder_convolution_transpose_weight", reorderConvolution<3>},
      {"mkl::_mkl_reorder_linear_weight", reorderLinear},
      {"aten::_sobol_engine_draw", sobolDraw},
      {"aten::_sobol_engine_ff", sobolForward},
      {"aten::_sobol_engine_ff_", sobolForward},
      {"aten::_sobol_engine_scramble", sobolScramble},
      {"aten::_sobol_engine_scramble_", sobolScramble},
      {"aten::_sobol_engine_initialize_state", sobolInitialize},
      {"aten::_sobol_engine_initialize_state_", sobolInitialize},
      {"aten::adaptive_max_pool2d", adaptivePool},
      {"aten::adaptive_max_pool3d", adaptivePool},
      {"aten::_neg_view", negatedView},
      {"aten::_neg_view_copy", negatedView},
  };
  return table;
}

}  // namespace pt2
