// Convolves videos as images: each frame, or images that have the channels of all frames under a kernel.
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

/// Floats of images that have the channels of several frames, at once: 64 megabytes.
constexpr int64_t kMostFloats = int64_t{16} * 1024 * 1024;

/// Images [first_image, first_image + count) of those under kernels, with the channels of all frames that are under
/// one; frames beyond the video are zeros. `input` has the pixels of all frames.
at::Tensor images_under(const at::Tensor& video, const FrameWindows& w, const Pixels& input, int64_t first_image,
                        int64_t count) {
  const int64_t frames = video.size(2), channels = video.size(1);
  const int64_t rows = video.size(3), columns = video.size(4), pixels = rows * columns;
  const at::Tensor out = at::empty({count, w.kernel * channels, rows, columns},
                                   video.options().memory_format(at::MemoryFormat::ChannelsLast));
  if (out.numel() == 0) return out;
  const float* from = input.data();
  float* to = out.mutable_data_ptr<float>();
  const size_t bytes = static_cast<size_t>(channels) * sizeof(float);
  share_images(count, pixels, 1, kFloatsPerThread / (w.kernel * channels), [&](int64_t n, int64_t begin, int64_t end) {
    const int64_t image = first_image + n;
    const int64_t batch = image / w.count, first = image % w.count * w.stride - w.padding;
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

/// Convolves a video by `convolve(images, residual)`, which gives as many images; some of them after the others where
/// all together would take much memory.
template <class F>
at::Tensor convolve_images(const at::Tensor& video, const FrameWindows& w, const std::optional<at::Tensor>& residual,
                           const char* op, const F& convolve) {
  const std::optional<at::Tensor> added = optional_frames(residual, op, "residual");
  const at::Tensor frames = frames_of(video);
  if (w.is_each_frame()) return video_of(convolve(frames, added), video.size(0), w.count);
  const Pixels input = pixels_of(frames);
  const int64_t images = video.size(0) * w.count;
  const int64_t floats = std::max<int64_t>(1, w.kernel * video.size(1) * video.size(3) * video.size(4));
  const int64_t most = std::max<int64_t>(1, kMostFloats / floats);
  if (images <= most)
    return video_of(convolve(images_under(video, w, input, 0, images), added), video.size(0), w.count);
  TORCH_CHECK(!added || added->size(0) == images, "pt2::", op, ": residual must have the frames of the result, ",
              w.count);
  at::Tensor out;
  for (int64_t first = 0; first < images; first += most) {
    const int64_t count = std::min(most, images - first);
    std::optional<at::Tensor> part;
    if (added) part = added->narrow(0, first, count);
    const at::Tensor some = convolve(images_under(video, w, input, first, count), part);
    if (first == 0) {
      out = at::empty({images, some.size(1), some.size(2), some.size(3)},
                      some.options().memory_format(at::MemoryFormat::ChannelsLast));
    }
    out.narrow(0, first, count).copy_(some);
  }
  return video_of(out, video.size(0), w.count);
}

}  // namespace

at::Tensor direct_conv3d(const at::Tensor& x, const at::Tensor& weight, int64_t out_channels, at::IntArrayRef kernel,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, std::string attr,
                         OptionalScalars scalars, std::optional<std::string> algorithm) {
  constexpr const char* kOp = "direct_conv3d";
  check_video(x, kOp, "x");
  check_windows(kernel, stride, padding, dilation, kOp);
  const FrameWindows windows(x, kernel[0], stride[0], padding[0], dilation[0], kOp);
  return convolve_images(
      x, windows, residual, kOp, [&](const at::Tensor& images, const std::optional<at::Tensor>& other) {
        return direct_conv2d(images, weight, out_channels, kernel.slice(1), bias, other, stride.slice(1),
                             padding.slice(1), dilation.slice(1), 1, attr, scalars, algorithm);
      });
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
  return convolve_images(
      x, windows, residual, kOp, [&](const at::Tensor& images, const std::optional<at::Tensor>& other) {
        return winograd_conv2d(images, weight, out_channels, bias, other, padding.slice(1), attr, scalars, algorithm);
      });
}

}  // namespace pt2
