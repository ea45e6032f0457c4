// Largest element of each window, channels-last: one vector of channels at a time, straight from the image.
#pragma once

#include "../pool.h"
#include "../simd/vector.h"

namespace pt2::PT2_ISA {

/// The larger of two, and NaN if either is.
inline Vec larger(Vec a, Vec b) {
  const Vec most = at_least(a, b);
  return a == a ? most : a;
}

/// First and last (exclusive) steps of a window that lie inside an image of `size`.
struct Steps {
  int64_t first, last;
};

inline Steps steps_inside(int64_t start, int64_t kernel, int64_t dilation, int64_t size) {
  Steps s{0, kernel};
  if (start < 0) s.first = (-start + dilation - 1) / dilation;
  const int64_t fit = size > start ? (size - start + dilation - 1) / dilation : 0;
  if (fit < s.last) s.last = fit;
  return s;
}

/// Output rows [begin, end) of `p.batch * p.out_height`.
inline void max_pool(const MaxPool& p, int64_t begin, int64_t end) {
  const Vec lowest = splat(-__builtin_inff());
  for (int64_t item = begin; item < end; ++item) {
    const int64_t n = item / p.out_height, oh = item % p.out_height;
    const int64_t top = oh * p.stride_h - p.pad_h;
    const Steps rows = steps_inside(top, p.kernel_h, p.dilation_h, p.height);
    for (int64_t ow = 0; ow < p.out_width; ++ow) {
      const int64_t left = ow * p.stride_w - p.pad_w;
      const Steps columns = steps_inside(left, p.kernel_w, p.dilation_w, p.width);
      float* out = p.out + (item * p.out_width + ow) * p.channels;
      // Four vectors of channels together: one would wait for itself at every step of the window.
      for (int64_t c = 0; c < p.channels; c += 4 * kLanes) {
        const int64_t rest = p.channels - c;
        Vec best[4] = {lowest, lowest, lowest, lowest};
        for (int64_t i = rows.first; i < rows.last; ++i) {
          for (int64_t j = columns.first; j < columns.last; ++j) {
            const int64_t h = top + i * p.dilation_h, w = left + j * p.dilation_w;
            const float* x = p.x + ((n * p.height + h) * p.width + w) * p.pitch + c;
            if (rest >= 4 * kLanes) {
#pragma GCC unroll 4
              for (int64_t v = 0; v < 4; ++v) best[v] = larger(best[v], load(x + v * kLanes));
            } else {
#pragma GCC unroll 4
              for (int64_t v = 0; v < 4; ++v) {
                if (rest > v * kLanes) best[v] = larger(best[v], load_up_to(x + v * kLanes, rest - v * kLanes));
              }
            }
          }
        }
#pragma GCC unroll 4
        for (int64_t v = 0; v < 4; ++v) {
          if (rest > v * kLanes) store_up_to(out + c + v * kLanes, best[v], rest - v * kLanes);
        }
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
