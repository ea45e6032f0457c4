// Convolves each channel with its own filter.
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>

#include <algorithm>
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

constexpr const char* kOp = "depthwise_conv2d";

/// A thread gets at least this many multiply-adds.
constexpr int64_t kWorkPerThread = int64_t{64} * 1024;

/// A band has at least so many rows: those at its borders are read for two bands.
constexpr int64_t kBandRows = 8;

/// Input of one band over all channels, if each block of channels is read by itself: half a megabyte.
constexpr int64_t kBandFloats = int64_t{128} * 1024;

/// Gives every thread a few items. Where each block of channels is read by itself, bands keep the input of neighboring
/// ones in the second-level cache. Images that are read in place are cut as products are, which come before and after:
/// into pairs of rows, which a tile computes together, or by channels.
void divide(Depthwise& d, int64_t lanes) {
  const int64_t blocks = d.blocks(lanes);
  if (d.in_place()) {
    const bool by_rows = shares_rows(d.out_height * d.out_width, d.channels);
    const ImageParts cut = cut_images(d.batch, 1, by_rows ? (d.out_height + 1) / 2 : 1, blocks);
    const int64_t pairs = (d.out_height + 2 * cut.bands - 1) / (2 * cut.bands);
    d.bands = (d.out_height + 2 * pairs - 1) / (2 * pairs);
    d.parts = cut.parts;
  } else {
    const int64_t most = std::max<int64_t>(1, d.out_height / kBandRows);
    d.bands = cut_images(d.batch * blocks, d.height * d.width * d.channels / kBandFloats, most, 1).bands;
    d.parts = blocks;
  }
}

}  // namespace

at::Tensor pack_depthwise_weight(const at::Tensor& weight) {
  check_float(weight, "pack_depthwise_weight", "weight");
  TORCH_CHECK(weight.dim() == 4 && weight.size(1) == 1,
              "pt2::pack_depthwise_weight: weight must have shape [channels, 1, height, width], got ", weight.sizes());
  const int64_t groups = (weight.size(0) + kDepthwiseGroup - 1) / kDepthwiseGroup;
  const at::Tensor padded =
      at::constant_pad_nd(weight.squeeze(1), {0, 0, 0, 0, 0, groups * kDepthwiseGroup - weight.size(0)});
  return padded.view({groups, kDepthwiseGroup, weight.size(2), weight.size(3)}).permute({0, 2, 3, 1}).contiguous();
}

at::Tensor depthwise_conv2d(const at::Tensor& sequence_or_image, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                            at::IntArrayRef dilation, std::string attr, OptionalScalars scalars,
                            std::optional<std::string> algorithm) {
  const at::Tensor x = as_image(sequence_or_image, kOp);
  check_float(weight, kOp, "weight");
  const int64_t groups = (x.size(1) + kDepthwiseGroup - 1) / kDepthwiseGroup;
  TORCH_CHECK(weight.dim() == 4 && weight.size(0) == groups && weight.size(1) > 0 && weight.size(2) > 0 &&
                  weight.size(3) == kDepthwiseGroup,
              "pt2::", kOp, ": weight must be packed as [", groups, ", height, width, ", kDepthwiseGroup, "], got ",
              weight.sizes());
  check_pair(stride, 1, kOp, "stride");
  check_pair(padding, 0, kOp, "padding");
  check_pair(dilation, 1, kOp, "dilation");

  const Pixels input = pixels_of(x);
  const at::Tensor packed = weight.contiguous();
  const at::Tensor offset = optional_vector(bias, x.size(1), kOp, "bias");
  Depthwise d{
      .x = input.data(),
      .weight = packed.const_data_ptr<float>(),
      .bias = data_or_null(offset),
      .out = nullptr,
      .batch = x.size(0),
      .channels = x.size(1),
      .height = x.size(2),
      .width = x.size(3),
      .out_height = window_count(x.size(2), weight.size(1), stride[0], padding[0], dilation[0], false, kOp),
      .out_width = window_count(x.size(3), weight.size(2), stride[1], padding[1], dilation[1], false, kOp),
      .kernel_h = weight.size(1),
      .kernel_w = weight.size(2),
      .stride_h = stride[0],
      .stride_w = stride[1],
      .pad_h = padding[0],
      .pad_w = padding[1],
      .dilation_h = dilation[0],
      .dilation_w = dilation[1],
      .pitch = input.pitch,
      .activation = parse_activation(attr, scalars, algorithm),
  };
  const at::Tensor out = at::empty({d.batch, d.channels, d.out_height, d.out_width},
                                   x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor result = like_given(out, sequence_or_image);
  if (out.numel() == 0) return result;
  d.out = out.mutable_data_ptr<float>();

  const Kernels& k = kernels();
  divide(d, k.lanes);
  const int64_t items = d.items();
  const int64_t work = out.numel() / items * d.kernel_h * d.kernel_w;
  share(items, std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, work)), [&](Pieces& pieces) {
    std::vector<float> scratch(static_cast<size_t>(d.scratch_floats(k.lanes)));
    for (Piece piece; pieces.next(piece);) k.depthwise(d, piece.begin, piece.end, scratch.data());
  });
  return result;
}

}  // namespace pt2
