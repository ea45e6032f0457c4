// Transposed convolutions of images, and of sequences as images of one column, with kernels of any size.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <memory>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"
#include "window.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "transposed_conv2d";

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

/// Products of a band stay in the second-level cache, and every thread gets a few items. Rows under a border are
/// multiplied for both bands, so that a band has four times as many. Results depend on neither.
void divide(TransposedConv& t) {
  const int64_t by_cache = t.height * t.width * t.block_columns() / kGemmCached + 1;
  const int64_t shared = ((t.kernel_h - 1) * t.dilation_h + t.stride_h) / t.stride_h - 1;
  const int64_t rows = std::max<int64_t>(1, 4 * shared) * t.stride_h;
  const auto [bands, parts] = cut_images(t.batch, by_cache, std::max<int64_t>(1, t.out_height / rows), t.blocks);
  t.bands = bands;
  t.parts = parts;
}

/// The size of a side of the result.
int64_t out_size(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, int64_t extra) {
  TORCH_CHECK(extra < stride || extra < dilation, "pt2::", kOp,
              ": output_padding must be less than stride or dilation, got ", extra, " for ", stride, " and ", dilation);
  const int64_t out = (size - 1) * stride - 2 * pad + dilation * (kernel - 1) + extra + 1;
  TORCH_CHECK(size > 0 && out > 0, "pt2::", kOp, ": an input of ", size, " gives an output of ", out);
  return out;
}

}  // namespace

at::Tensor pack_transposed_conv_weight(const at::Tensor& weight) {
  constexpr const char* kPack = "pack_transposed_conv_weight";
  check_float(weight, kPack, "weight");
  TORCH_CHECK(weight.dim() == 4 && weight.numel() > 0, "pt2::", kPack,
              ": weight must have shape [in, out, height, width], got ", weight.sizes());
  const int64_t channels = weight.size(0), outputs = weight.size(1), blocks = blocks_of(outputs);
  const int64_t columns = outputs / blocks * weight.size(2) * weight.size(3);
  const at::Tensor matrices =
      weight.reshape({channels, blocks, outputs / blocks, weight.size(2), weight.size(3)}).permute({1, 3, 4, 2, 0});
  return pack_matrices(matrices.reshape({blocks * columns, channels}), blocks, kernels().gemm_shape(columns).panel);
}

at::Tensor transposed_conv2d(const at::Tensor& sequence_or_image, const at::Tensor& weight, int64_t out_channels,
                             at::IntArrayRef kernel, const std::optional<at::Tensor>& bias, at::IntArrayRef stride,
                             at::IntArrayRef padding, at::IntArrayRef output_padding, at::IntArrayRef dilation,
                             std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm) {
  check_float(sequence_or_image, kOp, "x");
  const bool is_sequence = sequence_or_image.dim() == 3;
  // Rows are what bands are cut from.
  const at::Tensor x = is_sequence ? sequence_or_image.unsqueeze(3) : as_image(sequence_or_image, kOp);
  TORCH_CHECK(out_channels > 0 && x.size(1) > 0, "pt2::", kOp, ": x must have channels, and out_channels be positive");
  check_pair(kernel, 1, kOp, "kernel");
  check_pair(stride, 1, kOp, "stride");
  check_pair(padding, 0, kOp, "padding");
  check_pair(output_padding, 0, kOp, "output_padding");
  check_pair(dilation, 1, kOp, "dilation");
  const auto size = [&](int side) {
    return out_size(x.size(2 + side), kernel[side], stride[side], padding[side], dilation[side], output_padding[side]);
  };
  const std::array<int64_t, 2> sizes{size(0), size(1)};
  const Kernels& k = kernels();
  check_float(weight, kOp, "weight");
  const at::Tensor offset = optional_vector(bias, out_channels, kOp, "bias");
  const Pixels input = pixels_of(x);
  TransposedConv t{
      .x = input.data(),
      .packed = weight.const_data_ptr<float>(),
      .bias = data_or_null(offset),
      .out = nullptr,
      .batch = x.size(0),
      .channels = x.size(1),
      .height = x.size(2),
      .width = x.size(3),
      .out_channels = out_channels,
      .out_height = sizes[0],
      .out_width = sizes[1],
      .kernel_h = kernel[0],
      .kernel_w = kernel[1],
      .stride_h = stride[0],
      .stride_w = stride[1],
      .pad_h = padding[0],
      .pad_w = padding[1],
      .dilation_h = dilation[0],
      .dilation_w = dilation[1],
      .pitch = input.pitch,
      .shape = {},
      .activation = parse_activation(attr, scalars, algorithm),
      .blocks = blocks_of(out_channels),
  };
  t.shape = k.gemm_shape(t.block_columns());
  TORCH_CHECK(weight.is_contiguous() && weight.numel() == t.blocks * t.block_floats() && weight.dim() == 3 &&
                  weight.size(1) == t.channels && weight.size(2) == t.shape.panel,
              "pt2::", kOp, ": weight must come from pt2::pack_transposed_conv_weight for [", t.channels, ", ",
              out_channels, ", ", kernel[0], ", ", kernel[1], "], got ", weight.sizes());
  const at::Tensor out = at::empty({t.batch, out_channels, t.out_height, t.out_width},
                                   x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor result = is_sequence ? out.squeeze(3) : out;
  if (out.numel() == 0) return result;
  t.out = out.mutable_data_ptr<float>();
  divide(t);
  int64_t copied = 0;
  for (int64_t band = 0; band < t.bands; ++band) {
    const ImageRows under = t.rows_under(t.band_rows(band));
    t.product_floats = std::max(t.product_floats, under.count() * t.width * t.block_columns());
    copied = std::max(copied, t.product(under).scratch_floats());
  }
  const int64_t scratch = t.product_floats + copied;
  const int64_t work = t.height * t.width * t.channels * t.blocks * t.block_columns() * t.batch / t.items();
  share(t.items(), std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, work)), [&](Pieces& pieces) {
    const std::unique_ptr<float[]> memory(new float[static_cast<size_t>(scratch)]);
    for (Piece piece; pieces.next(piece);) k.transposed_conv(t, piece.begin, piece.end, memory.get());
  });
  return result;
}

}  // namespace pt2
