// Videos, whose frames kernels of images take as images.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "check.h"
#include "window.h"

namespace pt2 {

inline void check_triple(at::IntArrayRef triple, int64_t least, const char* op, const char* name) {
  TORCH_CHECK(triple.size() == 3 && *std::min_element(triple.begin(), triple.end()) >= least &&
                  *std::max_element(triple.begin(), triple.end()) <= kMostSteps,
              "pt2::", op, ": ", name, " must be three integers in [", least, ", ", kMostSteps, "], got ", triple);
}

/// The numbers of windows over frames, height and width.
inline void check_windows(at::IntArrayRef kernel, at::IntArrayRef stride, at::IntArrayRef padding,
                          at::IntArrayRef dilation, const char* op) {
  check_triple(kernel, 1, op, "kernel");
  check_triple(stride, 1, op, "stride");
  check_triple(padding, 0, op, "padding");
  check_triple(dilation, 1, op, "dilation");
}

inline void check_video(const at::Tensor& x, const char* op, const char* name) {
  check_float(x, op, name);
  TORCH_CHECK(x.dim() == 5, "pt2::", op, ": ", name, " must have five dimensions, got ", x.sizes());
}

/// The frames of [batch, channels, frames, height, width] as images [batch * frames, channels, height, width].
inline at::Tensor frames_of(const at::Tensor& video) {
  return video.permute({0, 2, 1, 3, 4})
      .reshape({video.size(0) * video.size(2), video.size(1), video.size(3), video.size(4)});
}

/// The video that has these frames.
inline at::Tensor video_of(const at::Tensor& frames, int64_t batch, int64_t count) {
  return frames.view({batch, count, frames.size(1), frames.size(2), frames.size(3)}).permute({0, 2, 1, 3, 4});
}

/// The frames under a kernel: which they are, and how many kernels there are.
struct FrameWindows {
  int64_t kernel, stride, padding, dilation, count;

  FrameWindows(const at::Tensor& video, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
               const char* op)
      : kernel(kernel),
        stride(stride),
        padding(padding),
        dilation(dilation),
        count(window_count(video.size(2), kernel, stride, padding, dilation, false, op)) {}

  bool is_each_frame() const { return kernel == 1 && stride == 1 && padding == 0; }
};

}  // namespace pt2
