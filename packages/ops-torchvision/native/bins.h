// Bins of whole elements, as RoI pooling and its position-sensitive form divide regions.
#pragma once

#include "regions.h"

namespace pt2 {

// The elements from `low` up to `high` along one dimension.
struct Range {
  int64_t low, high;
};

// The bins of a region from `low` to `high` along one dimension, their edges rounded outwards and cut at `border`.
// `more` elements belong to a region beside what lies between its edges. One with an edge that is NaN has no elements.
template <typename T>
void setBins(std::vector<Range>& bins, T low, T high, double scale, int64_t more, int64_t border) {
  const T first = std::round(low * static_cast<T>(scale)), last = std::round(high * static_cast<T>(scale));
  if (std::isnan(first) || std::isnan(last)) {
    std::fill(bins.begin(), bins.end(), Range{0, 0});
    return;
  }
  const int64_t start = wholeOf(first), end = std::max<int64_t>(border, 0);
  const T size = static_cast<T>(std::max<int64_t>(wholeOf(last) - start + more, 1));
  const T bin = size / static_cast<T>(bins.size());
  for (size_t i = 0; i < bins.size(); i++) {
    const int64_t from = static_cast<int64_t>(std::floor(static_cast<T>(i) * bin)) + start;
    const int64_t to = static_cast<int64_t>(std::ceil(static_cast<T>(i + 1) * bin)) + start;
    bins[i] = {std::min(std::max<int64_t>(from, 0), end), std::min(std::max<int64_t>(to, 0), end)};
  }
}

}  // namespace pt2
