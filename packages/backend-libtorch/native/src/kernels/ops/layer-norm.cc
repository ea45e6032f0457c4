// Normalizes rows, with or without an addition before it.
#include <ATen/ops/empty.h>

#include <tuple>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

/// A thread gets at least this many floats.
constexpr int64_t kFloatsPerThread = int64_t{16} * 1024;

/// Normalizes the rows of contiguous `x`, to which contiguous `other` is added if it is defined.
std::tuple<at::Tensor, at::Tensor> normalize(const char* op, const at::Tensor& x, const at::Tensor& other,
                                             const std::optional<at::Tensor>& weight,
                                             const std::optional<at::Tensor>& bias, double eps) {
  const int64_t width = x.size(-1);
  const at::Tensor scale = optional_vector(weight, width, op, "weight");
  const at::Tensor offset = optional_vector(bias, width, op, "bias");
  const auto options = x.options().memory_format(at::MemoryFormat::Contiguous);
  const at::Tensor out = at::empty(x.sizes(), options);
  const at::Tensor sum = other.defined() ? at::empty(x.sizes(), options) : at::Tensor();
  if (out.numel() == 0) return {sum, out};
  const LayerNorm t{
      .x = x.const_data_ptr<float>(),
      .other = data_or_null(other),
      .weight = data_or_null(scale),
      .bias = data_or_null(offset),
      .sum = sum.defined() ? sum.mutable_data_ptr<float>() : nullptr,
      .out = out.mutable_data_ptr<float>(),
      .rows = x.numel() / width,
      .width = width,
      .epsilon = static_cast<float>(eps),
  };
  shareRanges(t.rows, std::max<int64_t>(1, kFloatsPerThread / width),
              [&](int64_t begin, int64_t end) { kernels().layer_norm(t, begin, end); });
  return {sum, out};
}

}  // namespace

at::Tensor layer_norm(const at::Tensor& x, const std::optional<at::Tensor>& weight,
                      const std::optional<at::Tensor>& bias, double eps) {
  check_float(x, "layer_norm", "x");
  TORCH_CHECK(x.dim() >= 1, "pt2::layer_norm: x must have a dimension");
  return std::get<1>(normalize("layer_norm", x.contiguous(), {}, weight, bias, eps));
}

std::tuple<at::Tensor, at::Tensor> add_layer_norm(const at::Tensor& x, const at::Tensor& other,
                                                  const std::optional<at::Tensor>& weight,
                                                  const std::optional<at::Tensor>& bias, double eps) {
  check_float(x, "add_layer_norm", "x");
  check_float(other, "add_layer_norm", "other");
  TORCH_CHECK(x.dim() >= 1 && x.sizes() == other.sizes(),
              "pt2::add_layer_norm: x and other must have one shape with a dimension, got ", x.sizes(), " and ",
              other.sizes());
  return normalize("add_layer_norm", x.contiguous(), other.contiguous(), weight, bias, eps);
}

}  // namespace pt2
