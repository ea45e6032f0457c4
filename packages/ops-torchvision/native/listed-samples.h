// The samples of a region in lists, for CPUs: they are computed once for all channels.
#pragma once

#include "samples.h"

namespace pt2 {

// The samples of all bins along one dimension.
template <typename T>
class Axis {
 public:
  void set(const Line<T>& line, int64_t bins) {
    samples_.clear();
    ends_.assign(1, 0);
    for (int64_t b = 0; b < bins; b++) {
      line.template each<int64_t>(b, [&](const Sample<T, int64_t>& sample) { samples_.push_back(sample); });
      ends_.push_back(samples_.size());
    }
  }

  const Sample<T, int64_t>* begin(int64_t bin) const { return samples_.data() + ends_[bin]; }
  const Sample<T, int64_t>* end(int64_t bin) const { return samples_.data() + ends_[bin + 1]; }

 private:
  std::vector<Sample<T, int64_t>> samples_;
  std::vector<size_t> ends_;
};

// Both dimensions of a region.
template <typename T>
struct Grid {
  Axis<T> rows, columns;
  T count;

  void set(const T* roi, const Sampling& call, const Sizes& sizes) {
    const Lines<T> lines(roi, call, sizes);
    rows.set(lines.rows, call.down);
    columns.set(lines.columns, call.across);
    count = lines.count();
  }
};

// Adds what a bin's gradient gives to the elements that its samples read. What is NaN gives nothing.
template <typename T>
void spreadBin(T grad, const Grid<T>& grid, int64_t row, int64_t column, int64_t width, T* plane) {
  for (const auto* y = grid.rows.begin(row); y != grid.rows.end(row); y++) {
    if (std::isnan(y->atLow)) continue;
    T *low = plane + y->low * width, *high = plane + y->high * width;
    for (const auto* x = grid.columns.begin(column); x != grid.columns.end(column); x++) {
      if (std::isnan(x->atLow)) continue;
      low[x->low] += grad * (y->atLow * x->atLow) / grid.count;
      low[x->high] += grad * (y->atLow * x->atHigh) / grid.count;
      high[x->low] += grad * (y->atHigh * x->atLow) / grid.count;
      high[x->high] += grad * (y->atHigh * x->atHigh) / grid.count;
    }
  }
}

}  // namespace pt2
