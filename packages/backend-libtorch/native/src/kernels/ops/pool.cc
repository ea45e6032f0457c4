// Pools tensors whose channels come last.
#include <ATen/ops/empty.h>

#include <algorithm>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"
#include "window.h"

namespace pt2 {

at::Tensor max_pool2d(const at::Tensor& sequence_or_image, at::IntArrayRef kernel, at::IntArrayRef stride,
                      at::IntArrayRef padding, at::IntArrayRef dilation, bool ceil_mode) {
  constexpr const char* kOp = "max_pool2d";
  const at::Tensor x = as_image(sequence_or_image, kOp);
  check_pair(kernel, 1, kOp, "kernel");
  check_pair(stride, 1, kOp, "stride");
  check_pair(padding, 0, kOp, "padding");
  check_pair(dilation, 1, kOp, "dilation");
  TORCH_CHECK(padding[0] <= kernel[0] / 2 && padding[1] <= kernel[1] / 2, "pt2::", kOp,
              ": padding may be half a window at most, got ", padding, " for ", kernel);
  const Pixels input = pixels_of(x);
  const at::Tensor out = at::empty(
      {x.size(0), x.size(1), window_count(x.size(2), kernel[0], stride[0], padding[0], dilation[0], ceil_mode, kOp),
       window_count(x.size(3), kernel[1], stride[1], padding[1], dilation[1], ceil_mode, kOp)},
      x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const at::Tensor result = like_given(out, sequence_or_image);
  if (out.numel() == 0) return result;
  const MaxPool p{
      .x = input.data(),
      .out = out.mutable_data_ptr<float>(),
      .batch = x.size(0),
      .channels = x.size(1),
      .height = x.size(2),
      .width = x.size(3),
      .out_height = out.size(2),
      .out_width = out.size(3),
      .kernel_h = kernel[0],
      .kernel_w = kernel[1],
      .stride_h = stride[0],
      .stride_w = stride[1],
      .pad_h = padding[0],
      .pad_w = padding[1],
      .dilation_h = dilation[0],
      .dilation_w = dilation[1],
      .pitch = input.pitch,
  };
  const int64_t work = p.out_width * p.channels * p.kernel_h * p.kernel_w;
  shareRanges(p.batch * p.out_height, std::max<int64_t>(1, kFloatsPerThread / work),
              [&](int64_t begin, int64_t end) { kernels().max_pool(p, begin, end); });
  return result;
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
