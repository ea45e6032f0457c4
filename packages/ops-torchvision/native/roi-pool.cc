// torchvision::roi_pool and its gradient.
#include <cfloat>
#include <tuple>

#include "bins.h"

namespace pt2 {
namespace {

// The largest element of a bin, and its place in the plane; 0 and -1 for a bin without elements.
template <typename T>
void poolBin(const T* plane, int64_t width, Range rows, Range columns, T* value, int32_t* place) {
  const bool isEmpty = rows.high <= rows.low || columns.high <= columns.low;
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
void requirePictures(const char* op, const T* rois, int64_t regions, const Sizes& sizes) {
  for (int64_t i = 0; i < regions; i++) {
    STD_TORCH_CHECK(pictureOf(rois + i * 5, sizes) >= 0, op, ": region ", i, " is of picture ", rois[i * 5],
                    ", and there are ", sizes.pictures);
  }
}

template <typename T>
void forward(const T* input, const T* rois, int64_t regions, const Sizes& sizes, double scale, int64_t down,
             int64_t across, T* out, int32_t* places) {
  const int64_t bins = down * across;
  torch::stable::parallel_for(0, regions, 1, [&](int64_t first, int64_t last) {
    std::vector<Range> columns(static_cast<size_t>(across));
    for (int64_t i = first; i < last; i++) {
      const T* roi = rois + i * 5;
      const T* features = input + pictureOf(roi, sizes) * sizes.channels * sizes.plane();
      const int64_t left = edgeOf(roi[1], scale), top = edgeOf(roi[2], scale);
      const int64_t width = std::max<int64_t>(edgeOf(roi[3], scale) - left + 1, 1);
      const int64_t height = std::max<int64_t>(edgeOf(roi[4], scale) - top + 1, 1);
      for (int64_t x = 0; x < across; x++) columns[x] = binOf<T>(left, width, x, across, sizes.width);
      for (int64_t y = 0; y < down; y++) {
        const Range rows = binOf<T>(top, height, y, down, sizes.height);
        for (int64_t c = 0; c < sizes.channels; c++) {
          const int64_t to = (i * sizes.channels + c) * bins + y * across;
          for (int64_t x = 0; x < across; x++) {
            poolBin(features + c * sizes.plane(), sizes.width, rows, columns[x], out + to + x, places + to + x);
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
    requirePictures("roi_pool", elements<T>(regions), rois.size(0), sizes);
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
  for (int64_t i = 0; i < argmax.numel(); i++) {
    STD_TORCH_CHECK(place[i] < sizes.plane(), "_roi_pool_backward: argmax ", place[i], " is outside of a plane");
  }
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    const T *from = elements<T>(given), *roi = elements<T>(regions);
    requirePictures("_roi_pool_backward", roi, rois.size(0), sizes);
    T* to = mutableElements<T>(out);
    const int64_t bins = down * across;
    // Regions overlap, channels do not.
    torch::stable::parallel_for(0, channels, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = 0; i < rois.size(0); i++) {
        const int64_t picture = pictureOf(roi + i * 5, sizes);
        for (int64_t c = first; c < last; c++) {
          T* plane = to + (picture * channels + c) * sizes.plane();
          for (int64_t at = (i * channels + c) * bins; at < (i * channels + c + 1) * bins; at++) {
            if (place[at] >= 0) plane[place[at]] += from[at];
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
  m.def(
      "roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> "
      "(Tensor, Tensor)");
  m.def(
      "_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt "
      "pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) {
  m.impl("roi_pool", TORCH_BOX(&pt2::roiPool));
  m.impl("_roi_pool_backward", TORCH_BOX(&pt2::roiPoolBackward));
}
