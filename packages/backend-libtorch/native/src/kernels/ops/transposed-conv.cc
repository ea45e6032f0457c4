// Transposed convolutions of sequences, images and videos, with kernels of any size.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <memory>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "rows.h"
#include "share-images.h"
#include "team.h"
#include "window.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "transposed_conv";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// Output channels of a block at least: the products of a band with one are read once more than they are written.
constexpr int64_t kBlockOutputs = 32;

/// Blocks of equal size that output channels are cut into.
int64_t blocks_of(int64_t out_channels) {
  int64_t blocks = std::max<int64_t>(1, out_channels / kBlockOutputs);
  while (out_channels % blocks != 0) --blocks;
  return blocks;
}

/// Products of a band stay in the second-level cache, and every thread gets a few items. Slices under a border are
/// multiplied for both bands, so that a band has four times as many. Results depend on neither.
void divide(TransposedConv& t) {
  const TransposedSide& side = t.slices;
  const int64_t by_cache = side.size * t.pixels_of_slice() * t.block_columns() / kGemmCached + 1;
  const int64_t shared = ((side.kernel - 1) * side.dilation + side.stride) / side.stride - 1;
  const int64_t least = std::max<int64_t>(1, 4 * shared) * side.stride;
  const auto [bands, parts] = cut_images(t.batch, by_cache, std::max<int64_t>(1, side.out_size / least), t.blocks);
  t.bands = bands;
  t.parts = parts;
}

/// The numbers that a transposed convolution is given for each of its sides.
struct Windows {
  at::IntArrayRef kernel, stride, padding, output_padding, dilation;

  void check(size_t sides) const {
    check_each(kernel, sides, 1, "kernel");
    check_each(stride, sides, 1, "stride");
    check_each(padding, sides, 0, "padding");
    check_each(output_padding, sides, 0, "output_padding");
    check_each(dilation, sides, 1, "dilation");
  }

  /// A side of so many pixels.
  TransposedSide side(size_t i, int64_t size) const {
    TORCH_CHECK(output_padding[i] < stride[i] || output_padding[i] < dilation[i], "pt2::", kOp,
                ": output_padding must be less than stride or dilation, got ", output_padding[i], " for ", stride[i],
                " and ", dilation[i]);
    const int64_t out = (size - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel[i] - 1) + output_padding[i] + 1;
    TORCH_CHECK(size > 0 && out > 0, "pt2::", kOp, ": an input of ", size, " gives an output of ", out);
    return {size, out, kernel[i], stride[i], padding[i], dilation[i]};
  }

 private:
  static void check_each(at::IntArrayRef values, size_t sides, int64_t least, const char* name) {
    const auto fits = [&](int64_t value) { return value >= least && value <= kMostSteps; };
    TORCH_CHECK(values.size() == sides && std::all_of(values.begin(), values.end(), fits), "pt2::", kOp, ": ", name,
                " must be ", sides, " integers in [", least, ", ", kMostSteps, "], got ", values);
  }
};

/// Pixels [batch, slices, rows, columns] with their channels one after the other, `pitch` floats apart: those of a
/// tensor of five dimensions, or of a copy.
Rows pixels_of_slices(const at::Tensor& x, at::Tensor& copy) {
  if (x.numel() > 0) {
    if (const auto rows = as_rows(x, 1, {0, 2, 3, 4, 1})) return *rows;
  }
  copy = x.permute({0, 2, 3, 4, 1}).contiguous();
  return {copy.const_data_ptr(), x.size(1), x.size(1)};
}

}  // namespace

at::Tensor pack_transposed_conv_weight(const at::Tensor& weight) {
  constexpr const char* kPack = "pack_transposed_conv_weight";
  check_float(weight, kPack, "weight");
  TORCH_CHECK(weight.dim() >= 3 && weight.dim() <= 5 && weight.numel() > 0, "pt2::", kPack,
              ": weight must have shape [in, out, ...kernel], with one to three sides, got ", weight.sizes());
  const int64_t channels = weight.size(0), outputs = weight.size(1), blocks = blocks_of(outputs);
  const int64_t window = weight.numel() / channels / outputs, columns = outputs / blocks * window;
  const at::Tensor matrices = weight.reshape({channels, blocks, outputs / blocks, window}).permute({1, 3, 2, 0});
  return pack_matrices(matrices.reshape({blocks * columns, channels}), blocks, kernels().gemm_shape(columns).panel);
}

at::Tensor transposed_conv(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                           const std::optional<at::Tensor>& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                           at::IntArrayRef output_padding, at::IntArrayRef dilation, std::string attr,
                           OptionalScalars scalars, std::optional<std::string> algorithm) {
  check_float(x, kOp, "x");
  check_float(weight, kOp, "weight");
  TORCH_CHECK(x.dim() >= 3 && x.dim() <= 5, "pt2::", kOp, ": x must have three to five dimensions, got ", x.sizes());
  TORCH_CHECK(out_channels > 0 && x.size(1) > 0, "pt2::", kOp, ": x must have channels, and out_channels be positive");
  const Windows windows{kernel, stride, padding, output_padding, dilation};
  const auto sides = static_cast<size_t>(x.dim() - 2);
  windows.check(sides);
  // The first side is that of the slices, which bands are cut from; the rows are one where there are two sides.
  at::Tensor image = sides < 3 ? x.unsqueeze(3) : x;
  if (sides == 1) image = image.unsqueeze(4);
  const Kernels& k = kernels();
  const at::Tensor offset = optional_vector(bias, out_channels, kOp, "bias");
  at::Tensor copy;
  const Rows pixels = pixels_of_slices(image, copy);
  TransposedConv t{
      .x = static_cast<const float*>(pixels.data),
      .packed = weight.const_data_ptr<float>(),
      .bias = data_or_null(offset),
      .out = nullptr,
      .batch = x.size(0),
      .channels = x.size(1),
      .out_channels = out_channels,
      .slices = windows.side(0, image.size(2)),
      .rows = sides == 3 ? windows.side(1, image.size(3)) : TransposedSide{},
      .columns = sides > 1 ? windows.side(sides - 1, image.size(4)) : TransposedSide{},
      .pitch = pixels.pitch,
      .shape = {},
      .activation = parse_activation(attr, scalars, algorithm),
      .blocks = blocks_of(out_channels),
  };
  t.shape = k.gemm_shape(t.block_columns());
  TORCH_CHECK(weight.is_contiguous() && weight.numel() == t.blocks * t.block_floats() && weight.dim() == 3 &&
                  weight.size(1) == t.channels && weight.size(2) == t.shape.panel,
              "pt2::", kOp, ": weight must come from pt2::pack_transposed_conv_weight for [", t.channels, ", ",
              out_channels, "] and a kernel of ", kernel, ", got ", weight.sizes());
  const at::Tensor out =
      at::empty({t.batch, t.slices.out_size, t.rows.out_size, t.columns.out_size, out_channels}, x.options());
  at::Tensor result = out.permute({0, 4, 1, 2, 3});
  if (sides == 1) result = result.squeeze(4);
  if (sides < 3) result = result.squeeze(3);
  if (out.numel() == 0) return result;
  t.out = out.mutable_data_ptr<float>();
  divide(t);
  int64_t copied = 0;
  for (int64_t band = 0; band < t.bands; ++band) {
    const Range under = t.slices.under(t.band(band));
    t.product_floats = std::max(t.product_floats, under.count() * t.pixels_of_slice() * t.block_columns());
    copied = std::max(copied, t.product(under).scratch_floats());
  }
  const int64_t scratch = t.product_floats + copied;
  const int64_t work = x.numel() * t.blocks * t.block_columns() / t.items();
  share(t.items(), std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, work)), [&](Pieces& pieces) {
    const std::unique_ptr<float[]> memory(new float[static_cast<size_t>(scratch)]);
    for (Piece piece; pieces.next(piece);) k.transposed_conv(t, piece.begin, piece.end, memory.get());
  });
  return result;
}

}  // namespace pt2
