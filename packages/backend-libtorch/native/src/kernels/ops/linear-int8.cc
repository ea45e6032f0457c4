// Linear layers whose weight stays int8 in memory.
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>

#include <algorithm>
#include <memory>

#include "../int8-linear.h"
#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "linear_int8";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// Contiguous floats of `columns` by a number of groups, which divides `inner`; undefined where the op was given none, or
/// an empty tensor.
at::Tensor optional_qparams(const std::optional<at::Tensor>& t, int64_t columns, int64_t inner, const char* name) {
  if (!t.has_value() || !t->defined() || t->numel() == 0) return {};
  check_float(*t, kOp, name);
  const int64_t groups = columns == 0 ? 0 : t->numel() / columns;
  TORCH_CHECK(groups > 0 && groups * columns == t->numel() && inner % groups == 0, "pt2::", kOp, ": ", name,
              " must have a number for each of ", columns, " rows and each of some groups of ", inner,
              " columns, got ", t->sizes());
  return t->contiguous();
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
  check_float(input, kOp, "input");
  TORCH_CHECK(weight.device().is_cpu() && weight.layout() == at::kStrided && weight.scalar_type() == at::kChar &&
                  weight.dim() == 2,
              "pt2::", kOp, ": weight must be a strided int8 matrix on the CPU, got ", weight.toString(),
              weight.sizes());
  const int64_t columns = weight.size(0), inner = weight.size(1);
  TORCH_CHECK(input.dim() >= 1 && input.size(-1) == inner && columns > 0 && inner > 0, "pt2::", kOp,
              ": the last dimension of input must be that of weight, got ", input.sizes(), " and ", weight.sizes());
  const at::Tensor zeros = optional_qparams(zero_point, columns, inner, "zero_point");
  at::Tensor scales = optional_qparams(scale, columns, inner, "scale");
  if (!scales.defined() && zeros.defined()) scales = at::ones_like(zeros);
  TORCH_CHECK(!zeros.defined() || scales.numel() == zeros.numel(), "pt2::", kOp,
              ": scale and zero_point must have as many numbers, got ", scales.numel(), " and ", zeros.numel());
  const at::Tensor offset = optional_vector(bias, columns, kOp, "bias");
  at::DimVector sizes(input.sizes());
  sizes.back() = columns;
  const at::Tensor out = at::empty(sizes, input.options().memory_format(at::MemoryFormat::Contiguous));
  if (out.numel() == 0) return out;
  const at::Tensor rows = input.contiguous(), matrix = weight.contiguous();
  const Int8Linear g{
      .x = rows.const_data_ptr<float>(),
      .weight = matrix.const_data_ptr<int8_t>(),
      .scale = data_or_null(scales),
      .zero = data_or_null(zeros),
      .bias = data_or_null(offset),
      .out = out.mutable_data_ptr<float>(),
      .rows = out.numel() / columns,
      .inner = inner,
      .columns = columns,
      .groups = scales.defined() ? scales.numel() / columns : 1,
  };
  const Kernels& k = kernels();
  const int64_t grain = std::max<int64_t>(1, kWorkPerThread / (g.rows * inner * kInt8Panel));
  const int64_t scratch = k.int8_scratch(g);
  share(g.panels(), grain, [&](Pieces& pieces) {
    const std::unique_ptr<float[]> memory(scratch > 0 ? new float[static_cast<size_t>(scratch)] : nullptr);
    for (Piece piece; pieces.next(piece);) k.int8_linear(g, piece.begin, piece.end, memory.get());
  });
  return out;
}

}  // namespace pt2
