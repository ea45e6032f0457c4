// Samples of regions along one dimension, as RoIAlign takes them. What a sample reads is the product of both
// dimensions.
#pragma once

#include "tensors.h"

namespace pt2 {

// All samples of a bin are visited. torchvision lists them, for which no memory is large enough from here on.
inline void requireSamples(const char* op, int64_t ratio) {
  STD_TORCH_CHECK(ratio <= 1 << 15, op, ": sampling_ratio must not be more than ", 1 << 15);
}

// A place between two elements, with the parts of both.
template <typename T>
struct Sample {
  int64_t low, high;
  T atLow, atHigh;
};

// The samples of all bins of a region along one dimension. Those beyond the border, which count nothing, are left out;
// what is NaN lies not beyond it, and weighs NaN.
template <typename T>
class Axis {
 public:
  // The samples of a bin, those left out included.
  T count = 0;

  // `ratio` is the number of samples of a bin; from 0 down, as many as the bin covers elements, and none where its size
  // is not finite.
  void set(T start, T size, int64_t bins, int64_t length, int64_t ratio) {
    samples_.clear();
    ends_.assign(1, 0);
    const T bin = size / static_cast<T>(bins);
    count = ratio > 0 ? static_cast<T>(ratio) : std::isfinite(bin) ? std::ceil(bin) : 0;
    for (int64_t b = 0; b < bins; b++) {
      add(start + static_cast<T>(b) * bin, bin, length);
      ends_.push_back(samples_.size());
    }
  }

  const Sample<T>* begin(int64_t bin) const { return samples_.data() + ends_[bin]; }
  const Sample<T>* end(int64_t bin) const { return samples_.data() + ends_[bin + 1]; }

 private:
  void add(T start, T bin, int64_t length) {
    const auto [first, last] = nearby(start, bin, length);
    for (int64_t i = first; i < last; i++) {
      T place = start + (static_cast<T>(i) + static_cast<T>(0.5)) * bin / count;
      if (place < -1 || place > static_cast<T>(length) || length == 0) continue;
      if (std::isnan(place)) {
        samples_.push_back({0, 0, place, 0});
        break;
      }
      place = std::max(place, static_cast<T>(0));
      int64_t low = static_cast<int64_t>(place);
      int64_t high = low + 1;
      if (low >= length - 1) {
        low = high = length - 1;
        place = static_cast<T>(low);
      }
      const T part = place - static_cast<T>(low);
      samples_.push_back({low, high, 1 - part, part});
    }
  }

  // The samples that may be inside, by their number: of a region that is much larger than the features these are few.
  std::pair<int64_t, int64_t> nearby(double start, double bin, int64_t length) const {
    constexpr double kMost = 1e18;
    const double all = std::min(static_cast<double>(count), kMost);
    if (all <= 64 || bin == 0) return {0, static_cast<int64_t>(std::max(all, 0.0))};
    // Without a size of its own the first sample tells where all are.
    if (!std::isfinite(start) || !std::isfinite(bin)) return {0, 1};
    const double step = bin / static_cast<double>(count);
    const double a = (-1 - start) / step, b = (static_cast<double>(length) - start) / step;
    const double first = std::min(std::max(std::floor(std::min(a, b)) - 3, 0.0), all);
    const double last = std::min(std::max(std::ceil(std::max(a, b)) + 3, 0.0), all);
    return {static_cast<int64_t>(first), static_cast<int64_t>(last)};
  }

  std::vector<Sample<T>> samples_;
  std::vector<size_t> ends_;
};

}  // namespace pt2
