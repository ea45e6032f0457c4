// torchvision::roi_pool and its gradient.
#include <cfloat>
#include <tuple>

#include "bins.h"
#include "schemas.h"

namespace pt2 {
namespace {

// The largest element of a bin, and its place in the plane; 0 and -1 for a bin without elements.
template <typename T>
void poolBin(const T* plane, int64_t width, Range rows, Range columns, T* value, int32_t* place) {
  const bool isEmpty = rows.isEmpty() || columns.isEmpty();
  T most = isEmpty ? 0 : -FLT_MAX;
  int64_t found = -1;
  for (int64_t y = rows.low; y < rows.high; y++) {
    for (int64_t x = columns.low; x < columns.high; x++) {
      const int64_t at = y * width + x;
      if (plane[at] > most) {
        most = plane[at];
        found = at;
      }
    }
  }
  *value = most;
  *place = static_cast<int32_t>(found);
}

template <typename T>
void forward(const T* input, const T* rois, int64_t regions, const Sizes& sizes, double scale, int64_t down,
             int64_t across, T* out, int32_t* places) {
  const int64_t bins = down * across;
  torch::stable::parallel_for(0, regions, 1, [&](int64_t first, int64_t last) {
    std::vector<Range> rows(static_cast<size_t>(down)), columns(static_cast<size_t>(across));
    for (int64_t i = first; i < last; i++) {
      const T* roi = rois + i * 5;
      const int64_t picture = pictureOf(roi, sizes), to = i * sizes.channels * bins;
      if (picture < 0) {
        std::fill_n(out + to, sizes.channels * bins, static_cast<T>(0));
        std::fill_n(places + to, sizes.channels * bins, -1);
        continue;
      }
      setBins(rows, roi[2], roi[4], scale, 1, sizes.height);
      setBins(columns, roi[1], roi[3], scale, 1, sizes.width);
      for (int64_t y = 0; y < down; y++) {
        for (int64_t c = 0; c < sizes.channels; c++) {
          const T* plane = input + (picture * sizes.channels + c) * sizes.plane();
          for (int64_t x = 0; x < across; x++) {
            const int64_t at = to + c * bins + y * across + x;
            poolBin(plane, sizes.width, rows[y], columns[x], out + at, places + at);
          }
        }
      }
    }
  });
}

std::tuple<Tensor, Tensor> roiPool(const Tensor& input, const Tensor& rois, double scale, int64_t down,
                                   int64_t across) {
  requireRegions("roi_pool", input, rois, down, across);
  const Sizes sizes = sizesOf(input);
  STD_TORCH_CHECK(sizes.plane() <= std::numeric_limits<int32_t>::max(), "roi_pool: a plane has too many elements");
  const Tensor features = wide(input), regions = wide(rois);
  const Tensor out = empty(features, {rois.size(0), sizes.channels, down, across}, features.scalar_type());
  const Tensor places = empty(features, {rois.size(0), sizes.channels, down, across}, ScalarType::Int);
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    forward(elements<T>(features), elements<T>(regions), rois.size(0), sizes, scale, down, across,
            mutableElements<T>(out), mutableElements<int32_t>(places));
  });
  return {likeThat(out, input), places};
}

Tensor roiPoolBackward(const Tensor& grad, const Tensor& rois, const Tensor& argmax, double, int64_t down,
                       int64_t across, int64_t batch_size, int64_t channels, int64_t height, int64_t width) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_roi_pool_backward", grad, rois, down, across, sizes);
  requireSizes("_roi_pool_backward: argmax", argmax, {rois.size(0), channels, down, across});
  STD_TORCH_CHECK(grad.size(1) == channels, "_roi_pool_backward: grad has other channels");
  STD_TORCH_CHECK(argmax.scalar_type() == ScalarType::Int, "_roi_pool_backward: argmax must be int32");
  const Tensor given = wide(grad), regions = wide(rois), places = torch::stable::contiguous(argmax);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  const int32_t* place = elements<int32_t>(places);
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    const T *from = elements<T>(given), *roi = elements<T>(regions);
    T* to = mutableElements<T>(out);
    const int64_t bins = down * across;
    // Regions overlap, channels do not.
    torch::stable::parallel_for(0, channels, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = 0; i < rois.size(0); i++) {
        const int64_t picture = pictureOf(roi + i * 5, sizes);
        if (picture < 0) continue;
        for (int64_t c = first; c < last; c++) {
          T* plane = to + (picture * channels + c) * sizes.plane();
          for (int64_t at = (i * channels + c) * bins; at < (i * channels + c + 1) * bins; at++) {
            if (place[at] >= 0 && place[at] < sizes.plane()) plane[place[at]] += from[at];
          }
        }
      }
    });
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision, m) {
  m.def(pt2::kRoiPool);
  m.def(pt2::kRoiPoolBackward);
}

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) {
  m.impl("roi_pool", TORCH_BOX(&pt2::roiPool));
  m.impl("_roi_pool_backward", TORCH_BOX(&pt2::roiPoolBackward));
}
