// Linear layers whose weight stays int8 or half precision in memory.
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones_like.h>

#include <algorithm>
#include <memory>

#include "../narrow-linear.h"
#include "../processor.h"
#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

constexpr const char *kInt8Op = "linear_int8", *kHalfOp = "linear_half";

/// The fewest rows that processors which multiply bfloat16 compute sooner in it: fewer wait for the weight from memory.
constexpr int64_t kLeastMultiplied = 16;

/// Contiguous floats of `columns` by a number of groups, which divides `inner`; undefined where the op was given none,
/// or an empty tensor.
at::Tensor optional_qparams(const std::optional<at::Tensor>& t, int64_t columns, int64_t inner, const char* name) {
  if (!t.has_value() || !t->defined() || t->numel() == 0) return {};
  check_float(*t, kInt8Op, name);
  const int64_t groups = columns == 0 ? 0 : t->numel() / columns;
  TORCH_CHECK(groups > 0 && groups * columns == t->numel() && inner % groups == 0, "pt2::", kInt8Op, ": ", name,
              " must have a number for each of ", columns, " rows and each of some groups of ", inner, " columns, got ",
              t->sizes());
  return t->contiguous();
}

/// Checks the shapes, and that a weight whose dtype `fits` can be read.
void check_operands(const at::Tensor& input, const at::Tensor& weight, bool fits, const char* dtypes, const char* op) {
  check_float(input, op, "input");
  TORCH_CHECK(weight.device().is_cpu() && weight.layout() == at::kStrided && fits && weight.dim() == 2, "pt2::", op,
              ": weight must be a strided ", dtypes, " matrix on the CPU, got ", weight.toString(), weight.sizes());
  TORCH_CHECK(input.dim() >= 1 && input.size(-1) == weight.size(1) && weight.numel() > 0, "pt2::", op,
              ": the last dimension of input must be that of weight, got ", input.sizes(), " and ", weight.sizes());
}

/// Multiplies rows by a weight of so many columns. `scales` and `zeros` may be undefined.
at::Tensor multiply(const at::Tensor& input, const at::Tensor& weight, NarrowType type, const at::Tensor& scales,
                    const at::Tensor& zeros, const at::Tensor& bias) {
  const int64_t columns = weight.size(0), inner = weight.size(1);
  at::DimVector sizes(input.sizes());
  sizes.back() = columns;
  const at::Tensor out = at::empty(sizes, input.options().memory_format(at::MemoryFormat::Contiguous));
  if (out.numel() == 0) return out;
  const at::Tensor rows = input.contiguous(), matrix = weight.contiguous();
  const NarrowLinear g{
      .x = rows.const_data_ptr<float>(),
      .weight = matrix.const_data_ptr(),
      .scale = data_or_null(scales),
      .zero = data_or_null(zeros),
      .bias = data_or_null(bias),
      .out = out.mutable_data_ptr<float>(),
      .rows = out.numel() / columns,
      .inner = inner,
      .columns = columns,
      .groups = scales.defined() ? scales.numel() / columns : 1,
      .type = type,
  };
  const Kernels& k = kernels();
  const int64_t grain = std::max<int64_t>(1, kWorkPerThread / (g.rows * inner * kNarrowPanel));
  const int64_t scratch = k.narrow_scratch(g);
  share(g.panels(), grain, [&](Pieces& pieces) {
    const std::unique_ptr<float[]> memory(scratch > 0 ? new float[static_cast<size_t>(scratch)] : nullptr);
    for (Piece piece; pieces.next(piece);) k.narrow_linear(g, piece.begin, piece.end, memory.get());
  });
  return out;
}

}  // namespace

at::Tensor pack_zero_points(const at::Tensor& zero_point) {
  TORCH_CHECK(zero_point.device().is_cpu() && zero_point.layout() == at::kStrided,
              "pt2::pack_zero_points: zero_point must be a strided tensor on the CPU, got ", zero_point.toString());
  const at::Tensor zeros = zero_point.to(at::kFloat).contiguous();
  const float* data = zeros.const_data_ptr<float>();
  const bool any = std::any_of(data, data + zeros.numel(), [](float zero) { return zero != 0; });
  return any ? zeros : at::empty({0}, zeros.options());
}

at::Tensor linear_int8(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& scale,
                       const std::optional<at::Tensor>& zero_point, const std::optional<at::Tensor>& bias) {
  check_operands(input, weight, weight.scalar_type() == at::kChar, "int8", kInt8Op);
  const int64_t columns = weight.size(0), inner = weight.size(1);
  const at::Tensor zeros = optional_qparams(zero_point, columns, inner, "zero_point");
  at::Tensor scales = optional_qparams(scale, columns, inner, "scale");
  if (!scales.defined() && zeros.defined()) scales = at::ones_like(zeros);
  TORCH_CHECK(!zeros.defined() || scales.numel() == zeros.numel(), "pt2::", kInt8Op,
              ": scale and zero_point must have as many numbers, got ", scales.numel(), " and ", zeros.numel());
  return multiply(input, weight, NarrowType::kInt8, scales, zeros, optional_vector(bias, columns, kInt8Op, "bias"));
}

at::Tensor widen(const at::Tensor& weight) { return weight.to(at::kFloat); }

at::Tensor linear_half(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       bool round_input) {
  const at::ScalarType type = weight.scalar_type();
  check_operands(input, weight, type == at::kHalf || type == at::kBFloat16, "float16 or bfloat16", kHalfOp);
  const at::Tensor offset = optional_vector(bias, weight.size(0), kHalfOp, "bias");
  if (type == at::kHalf) return multiply(input, weight, NarrowType::kFloat16, {}, {}, offset);
  if (!round_input || !multiplies_bfloat16() || input.numel() < kLeastMultiplied * input.size(-1))
    return multiply(input, weight, NarrowType::kBFloat16, {}, {}, offset);
  const at::Tensor product = at::linear(input.to(type), weight, offset.defined() ? offset.to(type) : offset);
  return product.to(at::kFloat);
}

}  // namespace pt2
