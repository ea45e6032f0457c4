// Depthwise convolution, channels-last: one vector of channels times a tile of output columns at a time. Kernels that
// are small and square have loops of their own (depthwise-in-place.h).
//
// The rows under the kernel are kept in a ring, one block of channels wide and with their padding: pixels of an image
// lie `channels` apart, which would spread a tile over few sets of the first-level cache and load every pixel kernel_h
// times from the second. Copied, they are read back to back, and no tile knows about borders.
#pragma once

#include "../depthwise.h"
#include "activate.h"
#include "depthwise-in-place.h"

namespace pt2::PT2_ISA {

/// One block of channels of one image: where it starts, how many are real, its weights, bias and ring of rows.
struct DepthwiseBlock {
  int64_t first, count;
  const float* weight;
  Vec bias;
  float* ring;  // ring_rows of padded_width vectors
};

inline DepthwiseBlock depthwise_block(const Depthwise& d, int64_t index, float* ring) {
  const int64_t first = index * kLanes;
  const int64_t count = d.channels - first < kLanes ? d.channels - first : kLanes;
  // Padding is written once: copies of rows fill what is between.
  std::memset(ring, 0, static_cast<size_t>(d.ring_rows() * d.padded_width() * kLanes) * sizeof(float));
  return {first, count, depthwise_weight(d, first), d.bias ? load_part(d.bias + first, count) : Vec{}, ring};
}

/// Copies a row, or zeros where there is none.
inline void copy_row(const float* from, int64_t stride, int64_t count, int64_t columns, float* to) {
  if (from == nullptr) {
    std::memset(to, 0, static_cast<size_t>(columns * kLanes) * sizeof(float));
  } else if (count == kLanes) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < columns; ++i) store(to + i * kLanes, load(from + i * stride));
  } else {
    for (int64_t i = 0; i < columns; ++i) store(to + i * kLanes, load_part(from + i * stride, count));
  }
}

/// Adds one row of the kernel to a tile. With `KW` and `SW` known every column is loaded once and used by all outputs
/// that see it; KW = 0 takes the sizes from `d`.
template <int KW, int SW>
inline void accumulate(const Depthwise& d, const float* pixels, const float* weight, Vec (&acc)[kDepthwiseTile]) {
  if constexpr (KW > 0) {
    constexpr int kColumns = (kDepthwiseTile - 1) * SW + KW;
    Vec w[KW];
#pragma GCC unroll 8
    for (int k = 0; k < KW; ++k) w[k] = load(weight + k * kDepthwiseGroup);
#pragma GCC unroll 32
    for (int i = 0; i < kColumns; ++i) {
      const Vec x = load(pixels + i * kLanes);
#pragma GCC unroll 8
      for (int k = 0; k < KW; ++k) {
        const int j = i - k;
        if (j >= 0 && j % SW == 0 && j / SW < kDepthwiseTile) acc[j / SW] = fma(x, w[k], acc[j / SW]);
      }
    }
  } else {
    for (int64_t kw = 0; kw < d.kernel_w; ++kw) {
      const Vec w = load(weight + kw * kDepthwiseGroup);
      const float* p = pixels + kw * d.dilation_w * kLanes;
#pragma GCC unroll 8
      for (int64_t j = 0; j < kDepthwiseTile; ++j) acc[j] = fma(load(p + j * d.stride_w * kLanes), w, acc[j]);
    }
  }
}

inline void store_tile(const Depthwise& d, Vec (&acc)[kDepthwiseTile], float* out, int64_t columns, int64_t count) {
  if (d.activation.kind == ActivationKind::kClamp) {
    const Vec lo = splat(d.activation.a), hi = splat(d.activation.b);
#pragma GCC unroll 8
    for (Vec& v : acc) v = clamp(v, lo, hi);
  }
  // Both loops are unrolled: an index known only at run time would keep the accumulators in memory.
  if (columns >= kDepthwiseTile && count == kLanes) {
#pragma GCC unroll 8
    for (int64_t j = 0; j < kDepthwiseTile; ++j) store(out + j * d.channels, acc[j]);
  } else {
#pragma GCC unroll 8
    for (int64_t j = 0; j < kDepthwiseTile; ++j) {
      if (j < columns) store_part(out + j * d.channels, acc[j], count);
    }
  }
}

/// Output rows [begin, end) of one block of channels of image `n`.
template <int KW, int SW>
void depthwise_band(const Depthwise& d, int64_t n, const DepthwiseBlock& block, int64_t begin, int64_t end) {
  const int64_t span = d.span(), kept = d.ring_rows();
  const int64_t pitch = d.padded_width() * kLanes;
  int64_t copied = begin * d.stride_h - d.pad_h;  // the first input row that is not in the ring yet
  if (copied < 0) copied = 0;

  for (int64_t oh = begin; oh < end; ++oh) {
    const int64_t top = oh * d.stride_h - d.pad_h;
    if (copied < top) copied = top;
    for (; copied < d.height && copied < top + span; ++copied) {
      const float* row = d.row(n, copied);
      copy_row(row ? row + block.first : nullptr, d.pitch, block.count, d.width,
               block.ring + (copied % kept) * pitch + d.pad_w * kLanes);
    }
    float* out = d.out + ((n * d.out_height + oh) * d.out_width) * d.channels + block.first;
    for (int64_t ow = 0; ow < d.out_width; ow += kDepthwiseTile) {
      Vec acc[kDepthwiseTile];
#pragma GCC unroll 8
      for (Vec& v : acc) v = block.bias;
      for (int64_t kh = 0; kh < d.kernel_h; ++kh) {
        const int64_t h = top + kh * d.dilation_h;
        if (h < 0 || h >= d.height) continue;
        accumulate<KW, SW>(d, block.ring + (h % kept) * pitch + ow * d.stride_w * kLanes,
                           block.weight + kh * d.kernel_w * kDepthwiseGroup, acc);
      }
      store_tile(d, acc, out + ow * d.channels, d.out_width - ow, block.count);
    }
    if (d.activation.kind != ActivationKind::kClamp) {
      activate_columns(out, d.out_width, d.channels, block.count, d.activation);
    }
  }
}

/// Output rows [first, last) of the blocks of channels [begin, end) of image `n`.
inline void depthwise_part(const Depthwise& d, int64_t n, int64_t first, int64_t last, int64_t begin, int64_t end,
                           float* ring) {
  if (d.in_place()) {
    const int64_t channels = end * kLanes < d.channels ? end * kLanes : d.channels;
    const auto compute = [&] {
      switch (d.kernel_w * 10 + d.stride_w) {
        case 31: return depthwise_in_place<3, 1>;
        case 32: return depthwise_in_place<3, 2>;
        case 51: return depthwise_in_place<5, 1>;
        case 52: return depthwise_in_place<5, 2>;
        default: return depthwise_in_place<7, 1>;
      }
    }();
    return compute(d, n, first, last, begin * kLanes, channels);
  }
  const auto band = [&] {
    switch (d.dilation_w == 1 && d.stride_w <= 2 ? d.kernel_w * 10 + d.stride_w : 0) {
      case 31: return depthwise_band<3, 1>;
      case 32: return depthwise_band<3, 2>;
      case 51: return depthwise_band<5, 1>;
      case 52: return depthwise_band<5, 2>;
      case 71: return depthwise_band<7, 1>;
      default: return depthwise_band<0, 0>;
    }
  }();
  for (int64_t block = begin; block < end; ++block) band(d, n, depthwise_block(d, block, ring), first, last);
}

/// Work items [begin, end) of `d.items()`; `scratch` holds `d.scratch_floats(kLanes)`.
inline void depthwise(const Depthwise& d, int64_t begin, int64_t end, float* scratch) {
  const int64_t blocks = d.blocks(kLanes);
  for (int64_t item = begin; item < end; ++item) {
    const int64_t part = item % d.parts, band = item / d.parts % d.bands, n = item / d.parts / d.bands;
    depthwise_part(d, n, d.out_height * band / d.bands, d.out_height * (band + 1) / d.bands, blocks * part / d.parts,
                   blocks * (part + 1) / d.parts, scratch);
  }
}

}  // namespace pt2::PT2_ISA
