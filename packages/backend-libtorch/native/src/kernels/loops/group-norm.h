// Group normalization, channels-last: one pass over an image that takes the moments of its blocks, and one that
// normalizes. A block stays in the first-level cache while its means are taken and then the squares of the differences
// from these, so that nothing cancels; what blocks and channels have in common is summed up in double precision.
#pragma once

#include "../group-norm.h"
#include "../simd/vector.h"

namespace pt2::PT2_ISA {

/// The moments of N vectors of channels over the pixels of a block, of which only `left` channels are written.
template <int64_t N, typename Load>
inline void moments_of_vectors(const GroupNorm& t, const float* x, int64_t pixels, int64_t left, float* out,
                               Load load_lanes) {
  const Vec weight = splat(1.0f / static_cast<float>(pixels));
  Vec mean[N] = {}, sum[N] = {}, squares[N] = {};
  for (int64_t i = 0; i < pixels; ++i) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < N; ++v) mean[v] = fma(load_lanes(x + i * t.pitch + v * kLanes), weight, mean[v]);
  }
  for (int64_t i = 0; i < pixels; ++i) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < N; ++v) {
      const Vec d = load_lanes(x + i * t.pitch + v * kLanes) - mean[v];
      sum[v] += d;
      squares[v] = fma(d, d, squares[v]);
    }
  }
#pragma GCC unroll 4
  for (int64_t v = 0; v < N; ++v) {
    float* const to = out + v * kLanes;
    store_up_to(to, mean[v], left - v * kLanes);
    store_up_to(to + t.channels, sum[v], left - v * kLanes);
    store_up_to(to + 2 * t.channels, squares[v], left - v * kLanes);
  }
}

/// The moments of pixels [begin, end) of image `n`; `begin` is that of a block, and `end` that of another, or the last.
inline void group_norm_moments(const GroupNorm& t, int64_t n, int64_t begin, int64_t end) {
  const auto whole = [](const float* p) { return load(p); };
  for (int64_t i = begin; i < end; i += t.block) {
    const int64_t pixels = end - i < t.block ? end - i : t.block;
    const float* x = t.x + (n * t.pixels + i) * t.pitch;
    float* out = t.moments + (n * t.blocks + i / t.block) * kMomentsOfBlock * t.channels;
    int64_t c = 0;
    const auto left = [&] { return t.channels - c; };
    for (; left() >= 4 * kLanes; c += 4 * kLanes) moments_of_vectors<4>(t, x + c, pixels, left(), out + c, whole);
    for (; left() >= 2 * kLanes; c += 2 * kLanes) moments_of_vectors<2>(t, x + c, pixels, left(), out + c, whole);
    for (; left() >= kLanes; c += kLanes) moments_of_vectors<1>(t, x + c, pixels, left(), out + c, whole);
    if (left() == 0) continue;
    const auto part = [&](const float* p) { return load_part(p, left()); };
    moments_of_vectors<1>(t, x + c, pixels, left(), out + c, part);
  }
}

/// Calls `body(count, mean, sum, squares)` for each block and channel of a group, in order.
template <typename Body>
inline void each_moment(const GroupNorm& t, int64_t n, int64_t group, Body body) {
  const int64_t width = t.channels / t.groups;
  for (int64_t b = 0; b < t.blocks; ++b) {
    const int64_t left = t.pixels - b * t.block;
    const double count = static_cast<double>(left < t.block ? left : t.block);
    const float* moments = t.moments + (n * t.blocks + b) * kMomentsOfBlock * t.channels + group * width;
    for (int64_t c = 0; c < width; ++c) {
      body(count, static_cast<double>(moments[c]), static_cast<double>(moments[c + t.channels]),
           static_cast<double>(moments[c + 2 * t.channels]));
    }
  }
}

/// The factors of groups [begin, end) of image `n` from its moments.
inline void group_norm_factors(const GroupNorm& t, int64_t n, int64_t begin, int64_t end) {
  const int64_t width = t.channels / t.groups;
  const double weight = 1.0 / (static_cast<double>(t.pixels) * static_cast<double>(width));
  for (int64_t g = begin; g < end; ++g) {
    double total = 0.0, squares = 0.0;
    each_moment(t, n, g, [&](double count, double mean, double sum, double) { total += count * mean + sum; });
    const double mean = total * weight;
    each_moment(t, n, g, [&](double count, double center, double sum, double square) {
      const double d = center - mean;
      squares += square + d * (2.0 * sum + count * d);
    });
    const double variance = squares < 0.0 ? 0.0 : squares * weight;
    const double inverse = 1.0 / __builtin_sqrt(variance + t.epsilon);
    const auto center = static_cast<float>(mean);
    const double rest = static_cast<double>(center) - mean;
    float* factors = t.factors + n * kNormFactors * t.channels;
    for (int64_t c = g * width; c < (g + 1) * width; ++c) {
      const double scale = t.weight ? inverse * static_cast<double>(t.weight[c]) : inverse;
      const double bias = t.bias ? static_cast<double>(t.bias[c]) : 0.0;
      factors[c] = center;
      factors[c + t.channels] = static_cast<float>(scale);
      factors[c + 2 * t.channels] = static_cast<float>(bias + rest * scale);
    }
  }
}

/// Normalizes pixels [begin, end) of image `n`.
inline void group_norm_pixels(const GroupNorm& t, int64_t n, int64_t begin, int64_t end) {
  const float* center = t.factors + n * kNormFactors * t.channels;
  const float *scale = center + t.channels, *shift = scale + t.channels;
  for (int64_t i = n * t.pixels + begin; i < n * t.pixels + end; ++i) {
    const float* x = t.x + i * t.pitch;
    float* out = t.out + i * t.channels;
    each_vector(t.channels, [&](int64_t c, int64_t left) {
      const Vec d = load_up_to(x + c, left) - load_up_to(center + c, left);
      store_up_to(out + c, fma(d, load_up_to(scale + c, left), load_up_to(shift + c, left)), left);
    });
  }
}

}  // namespace pt2::PT2_ISA
