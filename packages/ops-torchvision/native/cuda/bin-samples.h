// The samples of a bin, as RoIAlign and its position-sensitive form read them and spread gradients.
#pragma once

#include "../samples.h"
#include "launch.h"

namespace pt2 {

// The sum of a bin's samples in a plane of features.
template <typename T, typename Element>
PT2_DEVICE T sumOfBin(const Element* plane, const Lines<T>& lines, int32_t row, int32_t column) {
  const int32_t width = static_cast<int32_t>(lines.columns.length);
  T sum = 0;
  lines.rows.template each<int32_t>(row, [&](const Sample<T, int32_t>& y) {
    const Element *low = plane + y.low * width, *high = plane + y.high * width;
    lines.columns.template each<int32_t>(column, [&](const Sample<T, int32_t>& x) {
      sum += y.atLow * x.atLow * static_cast<T>(low[x.low]) + y.atLow * x.atHigh * static_cast<T>(low[x.high]) +
             y.atHigh * x.atLow * static_cast<T>(high[x.low]) + y.atHigh * x.atHigh * static_cast<T>(high[x.high]);
    });
  });
  return sum;
}

// Adds what a bin's gradient gives to the elements that its samples read. What is NaN gives nothing.
template <typename T>
PT2_DEVICE void spreadOfBin(T grad, const Lines<T>& lines, T count, int32_t row, int32_t column, T* plane) {
  const int32_t width = static_cast<int32_t>(lines.columns.length);
  lines.rows.template each<int32_t>(row, [&](const Sample<T, int32_t>& y) {
    if (std::isnan(y.atLow)) return;
    T *low = plane + y.low * width, *high = plane + y.high * width;
    lines.columns.template each<int32_t>(column, [&](const Sample<T, int32_t>& x) {
      if (std::isnan(x.atLow)) return;
      addTo(low + x.low, grad * (y.atLow * x.atLow) / count);
      addTo(low + x.high, grad * (y.atLow * x.atHigh) / count);
      addTo(high + x.low, grad * (y.atHigh * x.atLow) / count);
      addTo(high + x.high, grad * (y.atHigh * x.atHigh) / count);
    });
  });
}

}  // namespace pt2
