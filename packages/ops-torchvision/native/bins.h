// Bins of whole elements, as RoI pooling and its position-sensitive form divide regions.
#pragma once

#include "regions.h"

namespace pt2 {

// The elements from `low` up to `high` along one dimension.
struct Range {
  int64_t low, high;
  PT2_BOTH bool isEmpty() const { return high <= low; }
};

// Where the bins of a region lie along one dimension: their edges are rounded outwards and cut at `border`. `more`
// elements belong to a region beside what lies between its edges. One with an edge that is NaN has no elements.
template <typename T>
struct BinLine {
  int64_t start, end;
  T bin;

  PT2_BOTH BinLine(T low, T high, double scale, int64_t more, int64_t border, int64_t bins) {
    const T first = std::round(low * static_cast<T>(scale)), last = std::round(high * static_cast<T>(scale));
    const bool isLost = std::isnan(first) || std::isnan(last);
    start = isLost ? 0 : wholeOf(first);
    end = isLost ? 0 : std::max<int64_t>(border, 0);
    const T size = isLost ? 1 : static_cast<T>(std::max<int64_t>(wholeOf(last) - start + more, 1));
    bin = size / static_cast<T>(bins);
  }

  PT2_BOTH Range at(int64_t i) const {
    const int64_t from = static_cast<int64_t>(std::floor(static_cast<T>(i) * bin)) + start;
    const int64_t to = static_cast<int64_t>(std::ceil(static_cast<T>(i + 1) * bin)) + start;
    return {std::min(std::max<int64_t>(from, 0), end), std::min(std::max<int64_t>(to, 0), end)};
  }
};

// All bins of a region along one dimension.
template <typename T>
void setBins(std::vector<Range>& bins, T low, T high, double scale, int64_t more, int64_t border) {
  const int64_t count = static_cast<int64_t>(bins.size());
  const BinLine<T> line(low, high, scale, more, border, count);
  for (int64_t i = 0; i < count; i++) bins[i] = line.at(i);
}

}  // namespace pt2
