// Multiplies with packed weights: linear layers and 1×1 convolutions.
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <memory>
#include <vector>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "in-place.h"
#include "ops.h"
#include "team.h"

namespace pt2 {

namespace {

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// What the left side is multiplied by and what is added then, a number for each inner index; undefined for neither.
struct Preactivation {
  at::Tensor scale, shift;
};

/// The left side [rows, inner], `pitch` floats from one row to the next, or the parts of it.
struct LeftSide {
  const float* data;
  int64_t inner, pitch;
  at::ArrayRef<Concatenation::Part> parts = {};
};

/// Checks the packed weight, then multiplies; `out` and `residual` are [rows, columns] in memory.
void multiply(const char* op, const LeftSide& left, const at::Tensor& packed, int64_t columns,
              const std::optional<at::Tensor>& bias, const at::Tensor& residual, const Activation& activation,
              const at::Tensor& out, const Preactivation& before = {}) {
  const Kernels& k = kernels();
  const int64_t inner = left.inner;
  check_packed(packed, inner, columns, op);
  const at::Tensor offset = optional_vector(bias, columns, op, "bias");
  if (out.numel() == 0) return;
  Gemm g{
      .a = left.data,
      .packed = packed.const_data_ptr<float>(),
      .bias = data_or_null(offset),
      .residual = data_or_null(residual),
      .out = out.mutable_data_ptr<float>(),
      .rows = out.numel() / columns,
      .inner = inner,
      .columns = columns,
      .pitch = left.pitch,
      .out_pitch = columns,
      .shape = k.gemm_shape(columns),
      .activation = activation,
      .scale = data_or_null(before.scale),
      .shift = data_or_null(before.shift),
      .parts = left.parts.empty() ? nullptr : left.parts.data(),
      .part_count = static_cast<int64_t>(left.parts.size()),
  };
  g.cut_into_bands(at::get_num_threads());
  const int64_t scratch = g.scratch_floats();
  const int64_t work = std::max<int64_t>(1, g.shape.rows * g.shape.panel * inner);
  const int64_t by_work = std::max<int64_t>(1, kWorkPerThread / work);
  // Where each piece copies all rows again, pieces are few.
  const bool few = scratch > 0 && inner > kGemmInner;
  const int64_t grain = few ? std::max(by_work, g.tiles() / (2 * at::get_num_threads())) : by_work;
  share(g.tiles(), grain, [&](Pieces& pieces) {
    const std::unique_ptr<float[]> memory(scratch > 0 ? new float[static_cast<size_t>(scratch)] : nullptr);
    GemmCopy copy{memory.get()};
    for (Piece piece; pieces.next(piece);) k.gemm(g, piece.begin, piece.end, copy);
  });
}

}  // namespace

const at::Tensor& check_packed(const at::Tensor& packed, int64_t inner, int64_t columns, const char* op) {
  const int64_t panel = kernels().gemm_shape(columns).panel;
  check_float(packed, op, "weight");
  TORCH_CHECK(packed.dim() == 3 && packed.is_contiguous() && packed.size(1) == inner && packed.size(2) == panel &&
                  columns > 0 && packed.size(0) == (columns + panel - 1) / panel,
              "pt2::", op, ": weight must come from pt2::pack_linear_weight for [", columns, ", ", inner, "], got ",
              packed.sizes());
  return packed;
}

at::Tensor pack_linear_weight(const at::Tensor& weight) {
  check_float(weight, "pack_linear_weight", "weight");
  TORCH_CHECK(weight.dim() == 2, "pt2::pack_linear_weight: weight must have shape [out, in], got ", weight.sizes());
  return pack_matrices(weight, 1, kernels().gemm_shape(weight.size(0)).panel);
}

at::Tensor pack_matrices(const at::Tensor& weight, int64_t groups, int64_t panel) {
  const Kernels& k = kernels();
  Panels p{
      .from = nullptr,
      .columns = weight.size(0) / groups,
      .inner = weight.size(1),
      .column_stride = weight.stride(0),
      .inner_stride = weight.stride(1),
      .to = nullptr,
      .panel = panel,
  };
  const at::Tensor packed = at::empty({groups * p.count(), p.inner, p.panel}, weight.options());
  if (packed.numel() == 0) return packed;
  const int64_t grain = std::max<int64_t>(1, kPackedPerThread / (p.inner * p.panel));
  for (int64_t group = 0; group < groups; ++group) {
    p.from = weight.const_data_ptr<float>() + group * p.columns * p.column_stride;
    p.to = packed.mutable_data_ptr<float>() + group * p.count() * p.inner * p.panel;
    shareRanges(p.count(), grain, [&](int64_t begin, int64_t end) { k.pack_panels(p, begin, end); });
  }
  return packed;
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& packed, int64_t out_features,
                  const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual, std::string attr,
                  OptionalScalars scalars, std::optional<std::string> algorithm) {
  check_float(x, "linear", "x");
  TORCH_CHECK(x.dim() >= 1 && out_features > 0, "pt2::linear: x must have a dimension and out_features be positive");
  at::DimVector sizes(x.sizes());
  sizes.back() = out_features;
  const at::Tensor out = product_or_empty(x.size(-1), residual, sizes, x.options(), at::MemoryFormat::Contiguous);
  const at::Tensor rows = x.contiguous();
  multiply("linear", {rows.const_data_ptr<float>(), x.size(-1), x.size(-1)}, packed, out_features, bias,
           optional_like(residual, out, at::MemoryFormat::Contiguous, "linear", "residual"),
           parse_activation(attr, scalars, algorithm), out);
  return out;
}

at::Tensor conv1x1(const at::Tensor& given, const at::Tensor& packed, int64_t out_channels,
                   const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual, std::string attr,
                   OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr at::MemoryFormat kFormat = at::MemoryFormat::ChannelsLast;
  const at::Tensor x = as_flat_image(given, "conv1x1");
  TORCH_CHECK(out_channels > 0, "pt2::conv1x1: out_channels must be positive");
  const at::Tensor out =
      product_or_empty(x.size(1), residual, {x.size(0), out_channels, x.size(2), x.size(3)}, x.options(), kFormat);
  std::optional<at::Tensor> other = residual;
  if (residual.has_value() && residual->defined()) other = as_flat_image(*residual, "conv1x1");
  const Pixels pixels = pixels_of(x);
  multiply("conv1x1", {pixels.data(), x.size(1), pixels.pitch}, packed, out_channels, bias,
           optional_like(other, out, kFormat, "conv1x1", "residual"), parse_activation(attr, scalars, algorithm), out);
  return like_given(out, given);
}

at::Tensor preactivated_conv1x1(at::TensorList sequences_or_images, const at::Tensor& scale, const at::Tensor& shift,
                                const at::Tensor& packed, int64_t out_channels, const std::optional<at::Tensor>& bias,
                                std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr const char* kOp = "preactivated_conv1x1";
  TORCH_CHECK(out_channels > 0 && !sequences_or_images.empty(), "pt2::", kOp,
              ": out_channels must be positive, and x have a tensor");
  const at::Tensor& given = sequences_or_images.front();
  const at::Tensor first = as_image(given, kOp);
  std::vector<Pixels> images;  // with copies of those that do not lie pixel by pixel
  std::vector<Concatenation::Part> parts;
  int64_t inner = 0;
  for (const at::Tensor& sequence_or_image : sequences_or_images) {
    const at::Tensor x = as_image(sequence_or_image, kOp);
    TORCH_CHECK(sequence_or_image.dim() == given.dim() && x.size(0) == first.size(0) && x.size(2) == first.size(2) &&
                    x.size(3) == first.size(3),
                "pt2::", kOp, ": all of x must have one shape but for their channels, got ", given.sizes(), " and ",
                sequence_or_image.sizes());
    images.push_back(pixels_of(x));
    parts.push_back({images.back().data(), x.size(1), images.back().pitch});
    inner += x.size(1);
  }
  const Preactivation before{optional_vector(scale, inner, kOp, "scale"), optional_vector(shift, inner, kOp, "shift")};
  TORCH_CHECK(before.scale.defined() && before.shift.defined(), "pt2::", kOp, ": scale and shift must be given");
  const at::Tensor out = at::empty({first.size(0), out_channels, first.size(2), first.size(3)},
                                   first.options().memory_format(at::MemoryFormat::ChannelsLast));
  multiply(kOp, {nullptr, inner, inner, parts}, packed, out_channels, bias, {},
           parse_activation(attr, scalars, algorithm), out, before);
  return like_given(out, given);
}

}  // namespace pt2
