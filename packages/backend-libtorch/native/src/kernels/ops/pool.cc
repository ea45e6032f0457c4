// Pools tensors whose channels come last.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <optional>

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

/// The windows of a pooling op, as it is given them.
struct Windows {
  at::IntArrayRef kernel, stride, padding, dilation;
  bool ceil_mode;
  bool counts_padding = false;
  int64_t divisor = 0;
};

using PoolRows = void (*)(const Pool&, int64_t begin, int64_t end);

/// Checks the windows of `x`, and shares the rows of results among threads.
at::Tensor pool_windows(const at::Tensor& sequence_or_image, const Windows& w, const char* op, PoolRows pool_rows) {
  const at::Tensor x = as_image(sequence_or_image, op);
  TORCH_CHECK(x.size(1) > 0 && x.size(2) > 0 && x.size(3) > 0, "pt2::", op, ": x must have channels and pixels, got ",
              x.sizes());
  check_pair(w.kernel, 1, op, "kernel");
  check_pair(w.stride, 1, op, "stride");
  check_pair(w.padding, 0, op, "padding");
  check_pair(w.dilation, 1, op, "dilation");
  TORCH_CHECK(w.padding[0] <= w.kernel[0] / 2 && w.padding[1] <= w.kernel[1] / 2, "pt2::", op,
              ": padding may be half a window at most, got ", w.padding, " for ", w.kernel);
  const auto count = [&](int side) {
    return window_count(x.size(2 + side), w.kernel[side], w.stride[side], w.padding[side], w.dilation[side],
                        w.ceil_mode, op);
  };
  const Pixels input = pixels_of(x);
  const at::Tensor out =
      at::empty({x.size(0), x.size(1), count(0), count(1)}, x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor result = like_given(out, sequence_or_image);
  if (out.numel() == 0) return result;
  const Pool p{
      .x = input.data(),
      .out = out.mutable_data_ptr<float>(),
      .batch = x.size(0),
      .channels = x.size(1),
      .height = x.size(2),
      .width = x.size(3),
      .out_height = out.size(2),
      .out_width = out.size(3),
      .kernel_h = w.kernel[0],
      .kernel_w = w.kernel[1],
      .stride_h = w.stride[0],
      .stride_w = w.stride[1],
      .pad_h = w.padding[0],
      .pad_w = w.padding[1],
      .dilation_h = w.dilation[0],
      .dilation_w = w.dilation[1],
      .pitch = input.pitch,
      .counts_padding = w.counts_padding,
      .divisor = w.divisor,
  };
  const int64_t work = p.out_width * p.channels * p.kernel_h * p.kernel_w;
  shareRanges(p.batch * p.out_height, std::max<int64_t>(1, kFloatsPerThread / work),
              [&](int64_t begin, int64_t end) { pool_rows(p, begin, end); });
  return result;
}

}  // namespace

at::Tensor max_pool2d(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                      at::IntArrayRef dilation, bool ceil_mode) {
  return pool_windows(x, {kernel, stride, padding, dilation, ceil_mode}, "max_pool2d", kernels().max_pool);
}

at::Tensor max_pool3d(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                      at::IntArrayRef dilation, bool ceil_mode) {
  constexpr const char* kOp = "max_pool3d";
  check_video(x, kOp, "x");
  check_windows(kernel, stride, padding, dilation, kOp);
  const auto over = [&](const at::Tensor& images, const Windows& windows) {
    return pool_windows(images, windows, kOp, kernels().max_pool);
  };
  // The largest of each frame, then of the frames, whose pixels are the columns of an image.
  const at::Tensor frames =
      over(frames_of(x), {kernel.slice(1), stride.slice(1), padding.slice(1), dilation.slice(1), ceil_mode});
  const at::Tensor pooled = video_of(frames, x.size(0), x.size(2));
  if (kernel[0] == 1 && stride[0] == 1 && padding[0] == 0) return pooled;
  const at::Tensor largest =
      over(pooled.flatten(3), {{kernel[0], 1}, {stride[0], 1}, {padding[0], 0}, {dilation[0], 1}, ceil_mode});
  return largest.unflatten(3, {pooled.size(3), pooled.size(4)});
}

at::Tensor avg_pool2d(const at::Tensor& x, at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                      bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  constexpr const char* kOp = "avg_pool2d";
  TORCH_CHECK(divisor_override != 0, "pt2::", kOp, ": divisor_override must not be zero");
  constexpr std::array<int64_t, 2> kDense{1, 1};
  const Windows windows{kernel, stride, padding, kDense, ceil_mode, count_include_pad, divisor_override.value_or(0)};
  return pool_windows(x, windows, kOp, kernels().avg_pool);
}

at::Tensor global_average_pool(const at::Tensor& sequence_or_image) {
  constexpr const char* kOp = "global_average_pool";
  const at::Tensor x = as_image(sequence_or_image, kOp);
  TORCH_CHECK(x.size(2) > 0 && x.size(3) > 0, "pt2::", kOp, ": x must have pixels, got ", x.sizes());
  const Pixels input = pixels_of(x);
  const at::Tensor out =
      at::empty({x.size(0), x.size(1), 1, 1}, x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor result = like_given(out, sequence_or_image);
  if (out.numel() == 0) return result;
  share_channel_means(input.data(), x.size(0), x.size(2) * x.size(3), x.size(1), input.pitch,
                      out.mutable_data_ptr<float>());
  return result;
}

}  // namespace pt2
