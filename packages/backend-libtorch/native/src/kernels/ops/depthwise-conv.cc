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
#include "videos.h"
#include "window.h"

namespace pt2 {

namespace {

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

/// A weight for so many channels as `pack_depthwise_weight` makes it.
void check_packed_depthwise(const at::Tensor& weight, int64_t channels, const char* op) {
  check_float(weight, op, "weight");
  const int64_t groups = (channels + kDepthwiseGroup - 1) / kDepthwiseGroup;
  TORCH_CHECK(weight.dim() == 4 && weight.size(0) == groups && weight.size(1) > 0 && weight.size(2) > 0 &&
                  weight.size(3) == kDepthwiseGroup,
              "pt2::", op, ": weight must be packed as [", groups, ", height, width, ", kDepthwiseGroup, "], got ",
              weight.sizes());
}

/// The numbers of windows over images: those of height, then of width.
struct Windows {
  int64_t kernel_h, kernel_w;
  at::IntArrayRef stride, padding, dilation;
};

/// A convolution of images of these sizes, `input` being their pixels.
Depthwise describe(const Pixels& input, at::IntArrayRef sizes, const at::Tensor& weight, const at::Tensor& bias,
                   const Windows& w, const Activation& activation, const char* op) {
  return {
      .x = input.data(),
      .weight = weight.const_data_ptr<float>(),
      .bias = data_or_null(bias),
      .out = nullptr,
      .batch = sizes[0],
      .channels = sizes[1],
      .height = sizes[2],
      .width = sizes[3],
      .out_height = window_count(sizes[2], w.kernel_h, w.stride[0], w.padding[0], w.dilation[0], false, op),
      .out_width = window_count(sizes[3], w.kernel_w, w.stride[1], w.padding[1], w.dilation[1], false, op),
      .kernel_h = w.kernel_h,
      .kernel_w = w.kernel_w,
      .stride_h = w.stride[0],
      .stride_w = w.stride[1],
      .pad_h = w.padding[0],
      .pad_w = w.padding[1],
      .dilation_h = w.dilation[0],
      .dilation_w = w.dilation[1],
      .pitch = input.pitch,
      .activation = activation,
  };
}

/// Convolves, and returns the images of the result.
at::Tensor convolve(Depthwise& d, const at::TensorOptions& options) {
  at::Tensor out = at::empty({d.batch, d.channels, d.out_height, d.out_width},
                             options.memory_format(at::MemoryFormat::ChannelsLast));
  if (out.numel() == 0) return out;
  d.out = out.mutable_data_ptr<float>();
  const Kernels& k = kernels();
  divide(d, k.lanes);
  const int64_t items = d.items();
  const int64_t work = out.numel() / items * d.kernel_h * d.kernel_w;
  share(items, std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, work)), [&](Pieces& pieces) {
    std::vector<float> scratch(static_cast<size_t>(d.scratch_floats(k.lanes)));
    for (Piece piece; pieces.next(piece);) k.depthwise(d, piece.begin, piece.end, scratch.data());
  });
  return out;
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

at::Tensor depthwise_conv2d(const at::Tensor& given, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, std::string attr,
                            OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr const char* kOp = "depthwise_conv2d";
  const at::Tensor x = as_flat_image(given, kOp);
  check_packed_depthwise(weight, x.size(1), kOp);
  check_pair(stride, 1, kOp, "stride");
  check_pair(padding, 0, kOp, "padding");
  check_pair(dilation, 1, kOp, "dilation");
  check_flat(given, weight.size(2), stride[1], padding[1], kOp);
  const Pixels input = pixels_of(x);
  const at::Tensor packed = weight.contiguous();
  const at::Tensor offset = optional_vector(bias, x.size(1), kOp, "bias");
  Depthwise d = describe(input, x.sizes(), packed, offset, {weight.size(1), weight.size(2), stride, padding, dilation},
                         parse_activation(attr, scalars, algorithm), kOp);
  return like_given(convolve(d, x.options()), given);
}

at::Tensor depthwise_conv3d(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                            int64_t frames, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                            std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr const char* kOp = "depthwise_conv3d";
  check_video(x, kOp, "x");
  check_packed_depthwise(weight, x.size(1), kOp);
  check_triple(stride, 1, kOp, "stride");
  check_triple(padding, 0, kOp, "padding");
  check_triple(dilation, 1, kOp, "dilation");
  TORCH_CHECK(frames > 0 && frames <= kMostSteps && weight.size(1) % frames == 0 && dilation[1] == 1, "pt2::", kOp,
              ": the rows of a packed weight must be those of ", frames, " frames, side by side, got ", weight.size(1),
              " with dilation ", dilation[1]);
  const FrameWindows over(x, frames, stride[0], padding[0], dilation[0], kOp);
  const Pixels input = pixels_of(frames_of(x));
  const at::Tensor packed = weight.contiguous();
  const at::Tensor offset = optional_vector(bias, x.size(1), kOp, "bias");
  const Windows windows{weight.size(1) / frames, weight.size(2), stride.slice(1), padding.slice(1), dilation.slice(1)};
  Depthwise d = describe(input, {x.size(0) * over.count, x.size(1), x.size(3), x.size(4)}, packed, offset, windows,
                         parse_activation(attr, scalars, algorithm), kOp);
  // Of the frames under the kernel each has a row in turn.
  d.height *= frames;
  d.kernel_h *= frames;
  d.stride_h *= frames;
  d.pad_h *= frames;
  d.frames = frames;
  d.video_frames = x.size(2);
  d.out_frames = over.count;
  d.frame_stride = stride[0];
  d.frame_padding = padding[0];
  d.frame_dilation = dilation[0];
  return video_of(convolve(d, x.options()), x.size(0), over.count);
}

}  // namespace pt2
