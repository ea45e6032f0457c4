// Convolves videos as images. A kernel of one frame convolves each frame. One of a single pixel convolves an image of
// one row for each frame, which has all its pixels. Any other one convolves frames that have the channels of all the
// frames under the kernel.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "../table.h"
#include "check.h"
#include "images.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"
#include "videos.h"

namespace pt2 {

namespace {

/// One image for each kernel, with the channels of all frames under it; frames beyond the video are zeros.
at::Tensor frames_under(const at::Tensor& video, const FrameWindows& w) {
  if (w.is_each_frame()) return frames_of(video);
  const int64_t frames = video.size(2), channels = video.size(1);
  const Pixels input = pixels_of(frames_of(video));
  const int64_t rows = video.size(3), columns = video.size(4), pixels = rows * columns;
  const at::Tensor out = at::empty({video.size(0) * w.count, w.kernel * channels, rows, columns},
                                   video.options().memory_format(at::MemoryFormat::ChannelsLast));
  if (out.numel() == 0) return out;
  const float* from = input.data();
  float* to = out.mutable_data_ptr<float>();
  const size_t bytes = static_cast<size_t>(channels) * sizeof(float);
  share_images(
      out.size(0), pixels, 1, kFloatsPerThread / (w.kernel * channels), [&](int64_t n, int64_t begin, int64_t end) {
        const int64_t batch = n / w.count, first = n % w.count * w.stride - w.padding;
        for (int64_t k = 0; k < w.kernel; ++k) {
          const int64_t frame = first + k * w.dilation;
          float* pixel = to + ((n * pixels + begin) * w.kernel + k) * channels;
          const bool inside = frame >= 0 && frame < frames;
          const float* source = inside ? from + ((batch * frames + frame) * pixels + begin) * input.pitch : nullptr;
          for (int64_t i = begin; i < end; ++i, pixel += w.kernel * channels) {
            if (inside) {
              std::memcpy(pixel, source, bytes);
              source += input.pitch;
            } else {
              std::memset(pixel, 0, bytes);
            }
          }
        }
      });
  return out;
}

std::optional<at::Tensor> optional_frames(const std::optional<at::Tensor>& video, const char* op, const char* name) {
  if (!video.has_value() || !video->defined()) return {};
  check_video(*video, op, name);
  return frames_of(*video);
}

}  // namespace

at::Tensor direct_conv3d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, std::string attr,
                         OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr const char* kOp = "direct_conv3d";
  check_video(x, kOp, "x");
  check_triple(kernel, 1, kOp, "kernel");
  check_triple(stride, 1, kOp, "stride");
  check_triple(padding, 0, kOp, "padding");
  check_triple(dilation, 1, kOp, "dilation");
  const FrameWindows windows(x, kernel[0], stride[0], padding[0], dilation[0], kOp);
  const at::Tensor out = direct_conv2d(frames_under(x, windows), weight, out_channels, kernel.slice(1), bias,
                                       optional_frames(residual, kOp, "residual"), stride.slice(1), padding.slice(1),
                                       dilation.slice(1), 1, std::move(attr), scalars, algorithm);
  return video_of(out, x.size(0), windows.count);
}

at::Tensor winograd_conv3d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, int64_t frames,
                           const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                           int64_t frame_stride, at::IntArrayRef padding, int64_t frame_dilation, std::string attr,
                           OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr const char* kOp = "winograd_conv3d";
  check_video(x, kOp, "x");
  check_triple({frames, frame_stride, frame_dilation}, 1, kOp, "frames, frame_stride and frame_dilation");
  check_triple(padding, 0, kOp, "padding");
  const FrameWindows windows(x, frames, frame_stride, padding[0], frame_dilation, kOp);
  const at::Tensor out =
      winograd_conv2d(frames_under(x, windows), weight, out_channels, bias, optional_frames(residual, kOp, "residual"),
                      padding.slice(1), std::move(attr), scalars, algorithm);
  return video_of(out, x.size(0), windows.count);
}

}  // namespace pt2
