// The largest or the mean of each window, channels-last, straight from the image.
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

/// Pixels of a window along one side that count for a mean: those inside the image, or on its padding too.
inline int64_t counted(const Steps& inside, int64_t start, int64_t kernel, int64_t size, int64_t pad, bool padding) {
  if (!padding) return inside.last - inside.first;
  return (start + kernel < size + pad ? start + kernel : size + pad) - start;
}

/// Where a window lies, and what of it is inside the image.
struct Window {
  int64_t top, left;
  Steps rows, columns;

  /// What the sum of the window is divided by.
  float divisor(const Pool& p) const {
    if (p.divisor != 0) return static_cast<float>(p.divisor);
    return static_cast<float>(counted(rows, top, p.kernel_h, p.height, p.pad_h, p.counts_padding) *
                              counted(columns, left, p.kernel_w, p.width, p.pad_w, p.counts_padding));
  }
};

struct Largest {
  static Vec none() { return splat(-__builtin_inff()); }
  static Vec add(Vec best, Vec x) { return larger(best, x); }
  static Vec finish(Vec best, const Pool&, const Window&) { return best; }
};

struct Mean {
  static Vec none() { return Vec{}; }
  static Vec add(Vec sum, Vec x) { return sum + x; }
  static Vec finish(Vec sum, const Pool& p, const Window& window) { return sum / splat(window.divisor(p)); }
};

/// Output rows [begin, end) of `p.batch * p.out_height`.
template <class Kind>
void pool(const Pool& p, int64_t begin, int64_t end) {
  for (int64_t item = begin; item < end; ++item) {
    const int64_t n = item / p.out_height, oh = item % p.out_height;
    Window window{.top = oh * p.stride_h - p.pad_h, .left = 0, .rows = {}, .columns = {}};
    window.rows = steps_inside(window.top, p.kernel_h, p.dilation_h, p.height);
    for (int64_t ow = 0; ow < p.out_width; ++ow) {
      window.left = ow * p.stride_w - p.pad_w;
      window.columns = steps_inside(window.left, p.kernel_w, p.dilation_w, p.width);
      float* out = p.out + (item * p.out_width + ow) * p.channels;
      // Four vectors of channels together: one would wait for itself at every step of the window.
      for (int64_t c = 0; c < p.channels; c += 4 * kLanes) {
        const int64_t rest = p.channels - c;
        Vec all[4] = {Kind::none(), Kind::none(), Kind::none(), Kind::none()};
        for (int64_t i = window.rows.first; i < window.rows.last; ++i) {
          for (int64_t j = window.columns.first; j < window.columns.last; ++j) {
            const int64_t h = window.top + i * p.dilation_h, w = window.left + j * p.dilation_w;
            const float* x = p.x + ((n * p.height + h) * p.width + w) * p.pitch + c;
            if (rest >= 4 * kLanes) {
#pragma GCC unroll 4
              for (int64_t v = 0; v < 4; ++v) all[v] = Kind::add(all[v], load(x + v * kLanes));
            } else {
#pragma GCC unroll 4
              for (int64_t v = 0; v < 4; ++v) {
                if (rest > v * kLanes) all[v] = Kind::add(all[v], load_up_to(x + v * kLanes, rest - v * kLanes));
              }
            }
          }
        }
#pragma GCC unroll 4
        for (int64_t v = 0; v < 4; ++v) {
          if (rest <= v * kLanes) continue;
          store_up_to(out + c + v * kLanes, Kind::finish(all[v], p, window), rest - v * kLanes);
        }
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
