// Bins of whole elements, as RoI pooling and its position-sensitive form divide regions.
#pragma once

#include "regions.h"

namespace pt2 {

// The elements from `low` up to `high` along one dimension.
struct Range {
  int64_t low, high;
};

// Bin `index` of `bins` of a region, its edges rounded outwards and cut at the borders.
template <typename T>
Range binOf(int64_t start, int64_t size, int64_t index, int64_t bins, int64_t border) {
  const T bin = static_cast<T>(size) / static_cast<T>(bins);
  const int64_t low = wholeOf(std::floor(static_cast<T>(index) * bin)) + start;
  const int64_t high = wholeOf(std::ceil(static_cast<T>(index + 1) * bin)) + start;
  return {std::min(std::max<int64_t>(low, 0), border), std::min(std::max<int64_t>(high, 0), border)};
}

// A coordinate of a region in whole elements of the features.
template <typename T>
int64_t edgeOf(T coordinate, double scale) {
  return wholeOf(std::round(coordinate * static_cast<T>(scale)));
}

}  // namespace pt2
