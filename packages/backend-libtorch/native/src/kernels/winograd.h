// A 3 x 3 convolution by Winograd's method as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "activation.h"
#include "gemm.h"

namespace pt2 {

/// Output columns and rows of a tile, input columns and rows under it, and elements of a transformed tile.
inline constexpr int64_t kWinogradOut = 4, kWinogradIn = 6, kWinogradPoints = 36;

struct Winograd {
  const float* x;         // batch, height, width, channels; pixels `pitch` floats apart
  const float* packed;    // points, [ceil(out_channels / panel)][channels][panel]
  const float* bias;      // out_channels, or null
  const float* residual;  // as out, or null
  float* out;             // batch, out_height, out_width, out_channels
  int64_t batch, channels, height, width, out_channels, out_height, out_width, pad_h, pad_w, pitch;
  GemmShape shape;  // of `out_channels`
  Activation activation;

  int64_t tiles_high() const { return (out_height + kWinogradOut - 1) / kWinogradOut; }
  int64_t tiles_wide() const { return (out_width + kWinogradOut - 1) / kWinogradOut; }
  int64_t tiles() const { return batch * tiles_high() * tiles_wide(); }
  int64_t panels() const { return (out_channels + shape.panel - 1) / shape.panel; }
  /// Matrix products over one chunk of tiles that can run side by side.
  int64_t products() const { return kWinogradPoints * panels(); }
  /// Floats of a chunk of `count` tiles: transformed input, and products before they are transformed back.
  int64_t input_floats(int64_t count) const { return kWinogradPoints * count * channels; }
  int64_t product_floats(int64_t count) const { return kWinogradPoints * count * out_channels; }
};

/// Tiles [first, first + count) on their way: `input` is [points][count][channels], `product`
/// [points][count][out_channels].
struct WinogradChunk {
  int64_t first, count;
  float* input;
  float* product;
};

}  // namespace pt2
