// A depthwise convolution as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "activation.h"

namespace pt2 {

/// Output columns computed together. Seven divides the widths of image models (112, 56, 28, 14, 7), and seven
/// accumulators with seven weights and one input still fit sixteen registers.
inline constexpr int64_t kDepthwiseTile = 7;

/// Channels whose weights lie together: a vector of every instruction set divides it.
inline constexpr int64_t kDepthwiseGroup = 16;

struct Depthwise {
  const float* x;       // batch, height, width, channels; pixels `pitch` floats apart
  const float* weight;  // channels / kDepthwiseGroup rounded up, kernel_h, kernel_w, kDepthwiseGroup
  const float* bias;    // channels, or null
  float* out;           // batch, out_height, out_width, channels
  int64_t batch, channels, height, width, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, pitch;
  Activation activation;

  /// Frames of the kernel. Those of a video under it are one image, with a row of each in turn: `height` and the kernel
  /// have `frames` times as many rows. `batch` counts the images, `out_frames` of them for each video.
  int64_t frames = 1;
  int64_t video_frames = 1, out_frames = 1, frame_stride = 1, frame_padding = 0, frame_dilation = 1;

  /// Bands of output rows that a plane is cut into, and parts of its channels, so that there is work for every thread.
  int64_t bands = 1, parts = 1;

  int64_t blocks(int64_t lanes) const { return (channels + lanes - 1) / lanes; }
  /// Independent pieces of work: one band of one part of the channels of one image.
  int64_t items() const { return batch * bands * parts; }
  /// Whether tiles read the image where it is. Otherwise the rows under the kernel are copied first.
  bool in_place() const {
    return is_each_frame() && kernel_h == kernel_w &&
           (kernel_w == 3 || kernel_w == 5 || (kernel_w == 7 && stride_w == 1)) && dilation_h == 1 && dilation_w == 1 &&
           stride_h == stride_w && stride_w <= 2 && out_width >= kDepthwiseTile;
  }
  /// Whether images are those that `x` has, one after the other.
  bool is_each_frame() const { return frames == 1 && frame_stride == 1 && frame_padding == 0; }
  /// A row of an image; null for one of a frame before or after the video.
  const float* row(int64_t image, int64_t at) const {
    const int64_t frame = image % out_frames * frame_stride - frame_padding + at % frames * frame_dilation;
    if (frame < 0 || frame >= video_frames) return nullptr;
    return x + ((image / out_frames * video_frames + frame) * (height / frames) + at / frames) * width * pitch;
  }
  /// Columns of a padded row that whole tiles can read.
  int64_t padded_width() const {
    const int64_t tiles = (out_width + kDepthwiseTile - 1) / kDepthwiseTile;
    return std::max(pad_w + width, (tiles * kDepthwiseTile - 1) * stride_w + (kernel_w - 1) * dilation_w + 1);
  }
  /// Input rows that are under the kernel at once, gaps of the dilation included.
  int64_t span() const { return (kernel_h - 1) * dilation_h + 1; }
  /// Rows to keep; row h is kept at h modulo this.
  int64_t ring_rows() const { return std::min(span(), height); }
  /// What one thread needs beside its tensors: the ring of padded rows.
  int64_t scratch_floats(int64_t lanes) const { return in_place() ? 0 : ring_rows() * padded_width() * lanes; }
};

}  // namespace pt2
