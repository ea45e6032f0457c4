// Depthwise convolution with a small square kernel, channels-last: one vector of channels times a tile of output
// pixels.
//
// The image is read where it is, an input row under two output rows once for both, and all channels of a tile come
// before the next tile, so that memory is passed in order. Pixels outside the image are left out, not multiplied by
// zero.
#pragma once

#include "../depthwise.h"
#include "activate.h"

namespace pt2::PT2_ISA {

/// Returns the weights of a vector of channels; from one weight of the kernel to the next are `kDepthwiseGroup` floats.
inline const float* depthwise_weight(const Depthwise& d, int64_t channel) {
  const int64_t group = channel / kDepthwiseGroup;
  return d.weight + group * d.kernel_h * d.kernel_w * kDepthwiseGroup + channel % kDepthwiseGroup;
}

/// Output rows of a tile: two read a row under both once. Wide kernels then need more registers than AVX2 has.
template <int K>
inline constexpr int kDepthwiseRows = K <= 5 || kLanes == 16 ? 2 : 1;

/// The part of some rows or columns that is inside the image.
struct Inside {
  int64_t begin, end;
};

/// Returns which of `length` rows or columns are inside an image of `size` when the first of them is at `start`.
inline Inside inside(int64_t start, int64_t length, int64_t size) {
  return {start < 0 ? -start : 0, size - start < length ? size - start : length};
}

/// Where a tile lies. Its input rows and columns are counted from the pixel under its first weight, which may be
/// outside.
struct DepthwiseTile {
  int64_t top, left;  // that pixel
  int64_t rows;       // output rows of `kDepthwiseRows` that are real
  Inside inside_rows, inside_columns;
};

/// Columns of a tile that are outside the image when they are not known at compile time.
inline constexpr int kAny = -1;

/// One vector of channels of a tile, of which `count` are real. `x` is the image and `out` the first output. The first
/// BEFORE and the last BEHIND columns under the tile are outside the image; with kAny the tile and `count` tell.
template <int K, int S, int BEFORE, int BEHIND>
inline void compute_tile(const Depthwise& d, const DepthwiseTile& t, const float* x, const float* weight, Vec bias,
                         float* out, int64_t count) {
  constexpr bool kKnown = BEFORE != kAny;
  constexpr int kRows = kDepthwiseRows<K>;
  constexpr int kColumns = (kDepthwiseTile - 1) * S + K;
  Vec sums[kRows][kDepthwiseTile];
#pragma GCC unroll 2
  for (auto& row : sums) {
#pragma GCC unroll 8
    for (Vec& sum : row) sum = bias;
  }
#pragma GCC unroll 8
  for (int h = 0; h < (kRows - 1) * S + K; ++h) {
    if (h < t.inside_rows.begin || h >= t.inside_rows.end) continue;
    const float* pixels = x + ((t.top + h) * d.width + t.left) * d.pitch;
#pragma GCC unroll 32
    for (int i = 0; i < kColumns; ++i) {
      if (i < (kKnown ? BEFORE : t.inside_columns.begin)) continue;
      if (i >= (kKnown ? kColumns - BEHIND : t.inside_columns.end)) continue;
      const Vec v = kKnown ? load(pixels + i * d.pitch) : load_up_to(pixels + i * d.pitch, count);
#pragma GCC unroll 2
      for (int r = 0; r < kRows; ++r) {
        const int kh = h - r * S;
        if (kh < 0 || kh >= K) continue;
#pragma GCC unroll 8
        for (int kw = 0; kw < K; ++kw) {
          const int j = i - kw;
          if (j < 0 || j % S != 0 || j / S >= kDepthwiseTile) continue;
          sums[r][j / S] = fma(v, load(weight + (kh * K + kw) * kDepthwiseGroup), sums[r][j / S]);
        }
      }
    }
  }
  if (d.activation.kind == ActivationKind::kClamp) {
    const Vec lo = splat(d.activation.a), hi = splat(d.activation.b);
#pragma GCC unroll 2
    for (auto& row : sums) {
#pragma GCC unroll 8
      for (Vec& sum : row) sum = clamp(sum, lo, hi);
    }
  }
#pragma GCC unroll 2
  for (int r = 0; r < kRows; ++r) {
    if (r >= t.rows) break;
    float* row = out + r * d.out_width * d.channels;
#pragma GCC unroll 8
    for (int j = 0; j < kDepthwiseTile; ++j) {
      if constexpr (kKnown) {
        store(row + j * d.channels, sums[r][j]);
      } else {
        store_up_to(row + j * d.channels, sums[r][j], count);
      }
    }
  }
}

/// The channels [begin, end) of a tile.
template <int K, int S, int BEFORE, int BEHIND>
inline void compute_channels(const Depthwise& d, const DepthwiseTile& t, const float* x, float* out, int64_t begin,
                             int64_t end) {
  for (int64_t c = begin; c < end; c += kLanes) {
    const int64_t count = d.channels - c;
    const float* weight = depthwise_weight(d, c);
    const Vec bias = d.bias ? load_up_to(d.bias + c, count) : Vec{};
    if (BEFORE == kAny || count < kLanes) {
      compute_tile<K, S, kAny, kAny>(d, t, x + c, weight, bias, out + c, count);
    } else {
      compute_tile<K, S, BEFORE, BEHIND>(d, t, x + c, weight, bias, out + c, count);
    }
  }
}

/// Applies the activation to the channels [begin, end) of `pixels` outputs.
inline void activate_pixels(const Depthwise& d, float* out, int64_t pixels, int64_t begin, int64_t end) {
  if (begin == 0 && end == d.channels) return activate_span(out, pixels * d.channels, d.activation);
  for (int64_t c = begin; c < end; c += kLanes) {
    activate_columns(out + c, pixels, d.channels, end - c < kLanes ? end - c : kLanes, d.activation);
  }
}

/// Output rows [first, last) of the channels [begin, end) of image `n`.
template <int K, int S>
void depthwise_in_place(const Depthwise& d, int64_t n, int64_t first, int64_t last, int64_t begin, int64_t end) {
  constexpr int64_t kColumns = (kDepthwiseTile - 1) * S + K;
  // `padding="same"`; with a stride of 2 and an even width, one column less is padded behind.
  constexpr int kPad = K / 2, kPadBehind = K / 2 - (S - 1);
  const float* x = d.x + n * d.height * d.width * d.pitch;
  DepthwiseTile t{};
  for (int64_t oh = first; oh < last; oh += kDepthwiseRows<K>) {
    t.rows = last - oh < kDepthwiseRows<K> ? last - oh : kDepthwiseRows<K>;
    t.top = oh * S - d.pad_h;
    t.inside_rows = inside(t.top, (t.rows - 1) * S + K, d.height);
    float* row = d.out + (n * d.out_height + oh) * d.out_width * d.channels;
    for (int64_t column = 0; column < d.out_width; column += kDepthwiseTile) {
      // The last tile overlaps the one before, so that all are whole.
      const int64_t ow = column + kDepthwiseTile <= d.out_width ? column : d.out_width - kDepthwiseTile;
      t.left = ow * S - d.pad_w;
      t.inside_columns = inside(t.left, kColumns, d.width);
      const auto compute = [&] {
        const int64_t before = t.inside_columns.begin, behind = kColumns - t.inside_columns.end;
        if (before == 0 && behind == 0) return compute_channels<K, S, 0, 0>;
        if (before == kPad && behind == 0) return compute_channels<K, S, kPad, 0>;
        if (before == 0 && behind == kPadBehind) return compute_channels<K, S, 0, kPadBehind>;
        if (before == kPad && behind == kPadBehind) return compute_channels<K, S, kPad, kPadBehind>;
        return compute_channels<K, S, kAny, kAny>;
      }();
      compute(d, t, x, row + ow * d.channels, begin, end);
    }
    if (d.activation.kind != ActivationKind::kClamp) activate_pixels(d, row, t.rows * d.out_width, begin, end);
  }
}

}  // namespace pt2::PT2_ISA
