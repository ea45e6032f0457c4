// Convolves images, and sequences as images of one row, with kernels of any size.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <vector>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"
#include "window.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "direct_conv2d";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// The padded copy of one band: 64 kB.
constexpr int64_t kBandFloats = int64_t{16} * 1024;

/// Pixels under a stretch of a row: a quarter of a megabyte, which stays in the second-level cache with a panel of
/// weights.
constexpr int64_t kStretchFloats = int64_t{64} * 1024;

/// Bands are copied into the cache, and give every thread a few items; where they do not, the channels are cut too.
/// Below four rows a band would copy much of what its neighbors copy too. Results depend on neither.
void divide(DirectConv& d) {
  if (d.row_by_row()) {
    const int64_t columns = std::max(kBroad, kStretchFloats / (d.kernel_h * d.channels));
    d.stretches = (d.out_width + columns - 1) / columns;
    d.bands = d.out_height;
    d.parts = cut_images(d.batch * d.bands * d.stretches, 1, 1, d.panels()).parts;
    return;
  }
  const int64_t by_cache = d.padded_height * d.padded_width * d.channels / kBandFloats + 1;
  const auto [bands, parts] = cut_images(d.batch, by_cache, std::max<int64_t>(1, d.out_height / 4), d.panels());
  d.bands = bands;
  d.parts = parts;
}

/// Where kernels are apart, or each has one column, what lies between is not looked at: the image is then one of what
/// they look at, with kernels of one column.
void join_columns(DirectConv& d) {
  if (d.pad_left != 0 || d.padded_width != d.width || d.stride_w == 1) return;
  if (d.kernel_w == 1) {
    d.x_column *= d.stride_w;
  } else if (d.groups == 1 && d.kernel_w == d.stride_w && d.dilation_w == 1 && d.x_channel == 1 &&
             d.x_column == d.channels) {
    d.channels *= d.kernel_w;
    d.x_column = d.channels;
    d.kernel_w = 1;
  } else {
    return;
  }
  d.stride_w = 1;
  d.width = d.padded_width = d.out_width;
}

/// The same for kernels of one row.
void skip_rows(DirectConv& d) {
  if (d.pad_top != 0 || d.padded_height != d.height || d.stride_h == 1 || d.kernel_h != 1) return;
  d.x_row *= d.stride_h;
  d.stride_h = 1;
  d.height = d.padded_height = d.out_height;
}

/// A weight [columns, inner] as `pack_conv_weight` makes it.
void check_panels(const at::Tensor& packed, int64_t inner, int64_t columns, int64_t groups) {
  const Kernels& k = kernels();
  check_float(packed, kOp, "weight");
  const int64_t panel = packed.dim() == 3 ? packed.size(2) : 0;
  TORCH_CHECK(packed.is_contiguous() && panel > 0 && panel % k.lanes == 0 && panel <= k.widest_panel &&
                  packed.size(1) == inner && packed.size(0) == groups * ((columns / groups + panel - 1) / panel),
              "pt2::", kOp, ": weight must come from pt2::pack_conv_weight for [", columns, ", ", inner, "] in ",
              groups, " groups, got ", packed.sizes());
}

}  // namespace

at::Tensor pack_conv_weight(const at::Tensor& weight, int64_t groups, std::optional<int64_t> width) {
  check_float(weight, "pack_conv_weight", "weight");
  TORCH_CHECK(weight.dim() == 2 && groups > 0 && weight.size(0) % groups == 0,
              "pt2::pack_conv_weight: weight must have shape [out, in], and out be a multiple of ", groups, ", got ",
              weight.sizes());
  return pack_matrices(weight, groups, kernels().conv_panel(weight.size(0) / groups, width.value_or(kNarrow)));
}

at::Tensor direct_conv2d(const at::Tensor& given, const at::Tensor& weight, int64_t out_channels,
                         at::IntArrayRef kernel, const std::optional<at::Tensor>& bias,
                         const std::optional<at::Tensor>& residual, at::IntArrayRef stride, at::IntArrayRef padding,
                         at::IntArrayRef dilation, int64_t groups, std::string attr, OptionalScalars scalars,
                         std::optional<std::string> algorithm) {
  const at::Tensor x = as_flat_image(given, kOp);
  TORCH_CHECK(out_channels > 0 && groups > 0 && out_channels % groups == 0 && x.size(1) % groups == 0, "pt2::", kOp,
              ": groups must divide the channels, got ", groups, " for ", x.size(1), " and ", out_channels);
  check_pair(kernel, 1, kOp, "kernel");
  check_pair(stride, 1, kOp, "stride");
  check_pair(dilation, 1, kOp, "dilation");
  const auto [top, left, bottom, right] = sides_of(padding, kOp);
  check_flat(given, kernel[1], stride[1], left + right, kOp);
  const int64_t height = x.size(2) + top + bottom, width = x.size(3) + left + right;
  const Kernels& k = kernels();
  check_panels(weight, kernel[0] * kernel[1] * (x.size(1) / groups), out_channels, groups);
  const at::Tensor offset = optional_vector(bias, out_channels, kOp, "bias");
  DirectConv d{
      .x = x.const_data_ptr<float>(),
      .packed = weight.const_data_ptr<float>(),
      .bias = data_or_null(offset),
      .residual = nullptr,
      .out = nullptr,
      .batch = x.size(0),
      .channels = x.size(1),
      .height = x.size(2),
      .width = x.size(3),
      .out_channels = out_channels,
      .out_height = window_count(height, kernel[0], stride[0], 0, dilation[0], false, kOp),
      .out_width = window_count(width, kernel[1], stride[1], 0, dilation[1], false, kOp),
      .groups = groups,
      .x_image = x.stride(0),
      .x_channel = x.stride(1),
      .x_row = x.stride(2),
      .x_column = x.stride(3),
      .kernel_h = kernel[0],
      .kernel_w = kernel[1],
      .stride_h = stride[0],
      .stride_w = stride[1],
      .dilation_h = dilation[0],
      .dilation_w = dilation[1],
      .pad_top = top,
      .pad_left = left,
      .padded_height = height,
      .padded_width = width,
      .panel = weight.size(2),
      .pitch = x.size(1),
      .activation = parse_activation(attr, scalars, algorithm),
  };
  constexpr at::MemoryFormat kFormat = at::MemoryFormat::ChannelsLast;
  const at::Tensor out =
      at::empty({d.batch, out_channels, d.out_height, d.out_width}, x.options().memory_format(kFormat));
  const at::Tensor result = like_given(out, given);
  if (out.numel() == 0) return result;
  std::optional<at::Tensor> other = residual;
  if (residual.has_value() && residual->defined()) other = as_flat_image(*residual, kOp);
  const at::Tensor added = optional_like(other, out, kFormat, kOp, "residual");
  d.residual = data_or_null(added);
  d.out = out.mutable_data_ptr<float>();
  join_columns(d);
  skip_rows(d);
  const int64_t side_by_side = std::min(k.conv_rows(d), d.out_width);
  d.pitch = d.channels + (crowd(side_by_side, d.stride_w * d.channels) ? kLineFloats : 0);
  divide(d);
  const int64_t work = out.numel() / d.items() * d.kernel_h * d.kernel_w * d.group_channels();
  share(d.items(), std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, work)), [&](Pieces& pieces) {
    std::vector<float> scratch(static_cast<size_t>(d.scratch_floats()));
    for (Piece piece; pieces.next(piece);) k.direct_conv(d, piece.begin, piece.end, scratch.data());
  });
  return result;
}

}  // namespace pt2
