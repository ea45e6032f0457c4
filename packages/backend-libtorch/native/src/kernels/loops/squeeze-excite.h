// Squeeze-and-excite, channels-last: mean per channel, two small matrix-vector products, one scaling pass.
#pragma once

#include "../squeeze-excite.h"
#include "activate.h"

namespace pt2::PT2_ISA {

/// out[c] += sum over `rows` <= 4 rows of weight[r] * matrix[r][c]: the rows are read in order, which the prefetcher
/// supports.
inline void add_rows(const float* matrix, int64_t stride, int64_t rows, const float* weights, int64_t count,
                     float* out) {
  int64_t c = 0;
  if (rows == 4) {
    const float *p0 = matrix, *p1 = p0 + stride, *p2 = p1 + stride, *p3 = p2 + stride;
    const Vec w0 = splat(weights[0]), w1 = splat(weights[1]), w2 = splat(weights[2]), w3 = splat(weights[3]);
    for (; c + kLanes <= count; c += kLanes) {
      const Vec upper = fma(load(p1 + c), w1, load(p0 + c) * w0);
      const Vec lower = fma(load(p3 + c), w3, load(p2 + c) * w2);
      store(out + c, load(out + c) + (upper + lower));
    }
  }
  for (; c < count; c += kLanes) {
    const int64_t left = count - c < kLanes ? count - c : kLanes;
    Vec sum = load_part(out + c, left);
    for (int64_t r = 0; r < rows; ++r) sum = fma(load_part(matrix + r * stride + c, left), splat(weights[r]), sum);
    store_part(out + c, sum, left);
  }
}

/// Pixels whose sum is made by itself, and channels for which this is done at once. Error grows with the length of a
/// sum: one of many pixels is made of sums, of which none is long.
inline constexpr int64_t kSummedPixels = 128, kSummedChannels = 2048;

/// Means of channels [begin, end) of one image. The order of the sums does not depend on the range.
inline void channel_means(const float* x, int64_t pixels, int64_t pitch, int64_t begin, int64_t end, float* means) {
  const float weight = 1.0f / static_cast<float>(pixels);
  const float weights[4] = {weight, weight, weight, weight};
  const float one = 1.0f;
  float sums[kSummedChannels];
  for (int64_t c = begin; c < end; c += kSummedChannels) {
    const int64_t count = end - c < kSummedChannels ? end - c : kSummedChannels;
    const size_t bytes = static_cast<size_t>(count) * sizeof(float);
    std::memset(means + c, 0, bytes);
    for (int64_t first = 0; first < pixels; first += kSummedPixels) {
      const int64_t last = pixels - first < kSummedPixels ? pixels : first + kSummedPixels;
      std::memset(sums, 0, bytes);
      for (int64_t i = first; i < last; i += 4) {
        add_rows(x + i * pitch + c, pitch, last - i < 4 ? last - i : 4, weights, count, sums);
      }
      add_rows(sums, 0, 1, &one, count, means + c);
    }
  }
}

/// Rows that are multiplied with the means at once.
inline constexpr int64_t kSqueezedRows = 4;

/// Squeezed numbers [begin, end) of one image from its means; `begin` is a multiple of `kSqueezedRows`.
inline void squeeze(const SqueezeExcite& s, const float* means, int64_t begin, int64_t end, float* hidden) {
  for (int64_t i = begin; i < end; i += kSqueezedRows) {
    const int64_t rows = end - i < kSqueezedRows ? end - i : kSqueezedRows;
    const float* w[kSqueezedRows];
    for (int64_t j = 0; j < kSqueezedRows; ++j) w[j] = s.reduce + (i + (j < rows ? j : 0)) * s.channels;
    Vec sum[kSqueezedRows] = {};
    each_vector(s.channels, [&](int64_t c, int64_t left) {
      const Vec mean = load_up_to(means + c, left);
#pragma GCC unroll 4
      for (int64_t j = 0; j < kSqueezedRows; ++j) sum[j] = fma(load_up_to(w[j] + c, left), mean, sum[j]);
    });
    for (int64_t j = 0; j < rows; ++j) {
      hidden[i + j] = sum_lanes(sum[j]) + (s.reduce_bias ? s.reduce_bias[i + j] : 0.0f);
    }
  }
  activate_span(hidden + begin, end - begin, s.activation);
}

/// The gates of channels [begin, end) of one image from its squeezed numbers; `begin` is a multiple of a vector.
inline void excite(const SqueezeExcite& s, const float* hidden, int64_t begin, int64_t end, float* out) {
  const int64_t count = end - begin;
  if (s.expand_bias) {
    std::memcpy(out + begin, s.expand_bias + begin, static_cast<size_t>(count) * sizeof(float));
  } else {
    std::memset(out + begin, 0, static_cast<size_t>(count) * sizeof(float));
  }
  for (int64_t i = 0; i < s.squeezed; i += 4) {
    const int64_t rows = s.squeezed - i < 4 ? s.squeezed - i : 4;
    add_rows(s.expand + i * s.channels + begin, s.channels, rows, hidden + i, count, out + begin);
  }
  activate_span(out + begin, count, s.gate);
}

/// Multiplies pixels [begin, end) of all channels by the gates of their image.
inline void scale_pixels(const SqueezeExcite& s, const float* gates, int64_t begin, int64_t end) {
  const int64_t whole = s.channels / kLanes * kLanes;
  for (int64_t i = begin; i < end; ++i) {
    const float* gate = gates + i / s.pixels * s.channels;
    const float* x = s.x + i * s.channels;
    float* out = s.out + i * s.channels;
    for (int64_t c = 0; c < whole; c += kLanes) store(out + c, load(x + c) * load(gate + c));
    if (whole < s.channels) {
      const int64_t left = s.channels - whole;
      store_part(out + whole, load_part(x + whole, left) * load_part(gate + whole, left), left);
    }
  }
}

}  // namespace pt2::PT2_ISA
