// Samples of regions along one dimension, as RoIAlign takes them. What a sample reads is the product of both
// dimensions.
#pragma once

#include "regions.h"

namespace pt2 {

// All samples of a bin are visited. torchvision lists them, for which no memory is large enough from here on.
inline void requireSamples(const char* op, int64_t ratio) {
  STD_TORCH_CHECK(ratio <= 1 << 15, op, ": sampling_ratio must not be more than ", 1 << 15);
}

// A place between two elements, with the parts of both.
template <typename T, typename Index>
struct Sample {
  Index low, high;
  T atLow, atHigh;
};

// Where the samples of a region lie along one dimension. Those beyond the border, which count nothing, are left out;
// what is NaN lies not beyond it, and weighs NaN.
template <typename T>
struct Line {
  T start, bin;
  // The samples of a bin, those left out included.
  T count;
  int64_t length;

  // `ratio` is the number of samples of a bin; from 0 down, as many as the bin covers elements, and none where its size
  // is not finite.
  PT2_BOTH Line(T from, T size, int64_t bins, int64_t elements, int64_t ratio)
      : start(from), bin(size / static_cast<T>(bins)), length(elements) {
    count = ratio > 0 ? static_cast<T>(ratio) : std::isfinite(bin) ? std::ceil(bin) : 0;
  }

  // Calls `visit` with each sample of a bin, in order.
  template <typename Index, typename Visit>
  PT2_BOTH void each(int64_t b, const Visit& visit) const {
    const T from = start + static_cast<T>(b) * bin;
    const Numbers numbers = nearby(from);
    for (int64_t i = numbers.first; i < numbers.last; i++) {
      T place = from + (static_cast<T>(i) + static_cast<T>(0.5)) * bin / count;
      if (place < -1 || place > static_cast<T>(length) || length == 0) continue;
      if (std::isnan(place)) {
        visit(Sample<T, Index>{0, 0, place, 0});
        break;
      }
      place = std::max(place, static_cast<T>(0));
      Index low = static_cast<Index>(place);
      Index high = low + 1;
      if (low >= length - 1) {
        low = high = static_cast<Index>(length - 1);
        place = static_cast<T>(low);
      }
      const T part = place - static_cast<T>(low);
      visit(Sample<T, Index>{low, high, 1 - part, part});
    }
  }

 private:
  struct Numbers {
    int64_t first, last;
  };

  // The samples that may be inside, by their number: of a region that is much larger than the features these are few.
  PT2_BOTH Numbers nearby(double from) const {
    constexpr double kMost = 1e18;
    const T here = std::min(count, static_cast<T>(kMost));
    if (here <= 64 || bin == 0) return {0, static_cast<int64_t>(std::max(here, static_cast<T>(0)))};
    // Without a size of its own the first sample tells where all are.
    if (!std::isfinite(from) || !std::isfinite(bin)) return {0, 1};
    const double all = here, step = static_cast<double>(bin) / static_cast<double>(count);
    const double a = (-1 - from) / step, b = (static_cast<double>(length) - from) / step;
    const double first = std::min(std::max(std::floor(std::min(a, b)) - 3, 0.0), all);
    const double last = std::min(std::max(std::ceil(std::max(a, b)) + 3, 0.0), all);
    return {static_cast<int64_t>(first), static_cast<int64_t>(last)};
  }
};

// What a call says of the bins of a region.
struct Sampling {
  double scale;
  int64_t down, across, ratio;
  bool aligned;
};

// Both dimensions of a region.
template <typename T>
struct Lines {
  Line<T> rows, columns;

  PT2_BOTH Lines(const T* roi, const Sampling& call, const Sizes& sizes)
      : rows(begin(roi[2], call), size(roi[2], roi[4], call), call.down, sizes.height, call.ratio),
        columns(begin(roi[1], call), size(roi[1], roi[3], call), call.across, sizes.width, call.ratio) {}

  PT2_BOTH T count() const { return rows.count * columns.count; }

 private:
  PT2_BOTH static T begin(T edge, const Sampling& call) {
    return edge * static_cast<T>(call.scale) - (call.aligned ? static_cast<T>(0.5) : static_cast<T>(0));
  }

  PT2_BOTH static T size(T low, T high, const Sampling& call) {
    const T between = begin(high, call) - begin(low, call);
    return call.aligned ? between : std::max(between, static_cast<T>(1));
  }
};

}  // namespace pt2
