// torchvision::roi_pool and its gradient on GPUs: a thread for each element of the result, or of its gradient.
#include <cfloat>
#include <tuple>

#include "../bins.h"
#include "elements.h"
#include "launch.h"

namespace pt2 {
namespace {

template <typename T, typename Element>
struct RoiPool {
  const Element* features;
  const T* rois;
  Sizes sizes;
  double scale;
  int32_t down, across;
  Element* out;
  int32_t* places;

  // An element of a region, [channels, down, across].
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const int32_t bins = down * across;
    const T* roi = rois + region * 5;
    const int64_t picture = pictureOf(roi, sizes);
    T most = 0;
    int32_t found = -1;
    if (picture >= 0) {
      const Range rows = BinLine<T>(roi[2], roi[4], scale, 1, sizes.height, down).at(i % bins / across);
      const Range columns = BinLine<T>(roi[1], roi[3], scale, 1, sizes.width, across).at(i % across);
      const Element* plane = features + (picture * sizes.channels + i / bins) * sizes.plane();
      if (!rows.isEmpty() && !columns.isEmpty()) most = -FLT_MAX;
      for (int64_t y = rows.low; y < rows.high; y++) {
        for (int64_t x = columns.low; x < columns.high; x++) {
          const int32_t at = static_cast<int32_t>(y * sizes.width + x);
          const T value = static_cast<T>(plane[at]);
          if (value > most) {
            most = value;
            found = at;
          }
        }
      }
    }
    out[region * sizes.channels * bins + i] = static_cast<Element>(most);
    places[region * sizes.channels * bins + i] = found;
  }
};

std::tuple<Tensor, Tensor> roiPoolOnDevice(const Tensor& input, const Tensor& rois, double scale, int64_t down,
                                           int64_t across) {
  requireRegions("roi_pool", input, rois, down, across);
  requireOneDevice("roi_pool", {&input, &rois});
  const Device device(input);
  const Sizes sizes = sizesOf(input);
  requirePlane("roi_pool", sizes.height, sizes.width);
  const Tensor features = torch::stable::contiguous(input), regions = wide(rois);
  const Tensor out = empty(features, {rois.size(0), sizes.channels, down, across}, features.scalar_type());
  const Tensor places = empty(features, {rois.size(0), sizes.channels, down, across}, ScalarType::Int);
  withElement(features, [&](auto element) {
    using Element = decltype(element);
    using T = Wide<Element>;
    device.each(rois.size(0), sizes.channels * down * across,
                RoiPool<T, Element>{elements<Element>(features), elements<T>(regions), sizes, scale,
                                    static_cast<int32_t>(down), static_cast<int32_t>(across),
                                    mutableElements<Element>(out), mutableElements<int32_t>(places)});
  });
  return {out, places};
}

template <typename T>
struct RoiPoolGradient {
  const T *grads, *rois;
  const int32_t* places;
  Sizes sizes;
  int32_t bins;
  T* out;

  // A place that is not in the plane gets nothing.
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const int64_t picture = pictureOf(rois + region * 5, sizes), at = region * sizes.channels * bins + i;
    if (picture < 0 || places[at] < 0 || places[at] >= sizes.plane()) return;
    addTo(out + (picture * sizes.channels + i / bins) * sizes.plane() + places[at], grads[at]);
  }
};

Tensor roiPoolBackwardOnDevice(const Tensor& grad, const Tensor& rois, const Tensor& argmax, double, int64_t down,
                               int64_t across, int64_t batch_size, int64_t channels, int64_t height, int64_t width) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_roi_pool_backward", grad, rois, down, across, sizes);
  requireSizes("_roi_pool_backward: argmax", argmax, {rois.size(0), channels, down, across});
  STD_TORCH_CHECK(grad.size(1) == channels, "_roi_pool_backward: grad has other channels");
  STD_TORCH_CHECK(argmax.scalar_type() == ScalarType::Int, "_roi_pool_backward: argmax must be int32");
  requireOneDevice("_roi_pool_backward", {&grad, &rois, &argmax});
  requirePlane("_roi_pool_backward", height, width);
  const Device device(grad);
  const Tensor given = wide(grad), regions = wide(rois), places = torch::stable::contiguous(argmax);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    device.each(rois.size(0), channels * down * across,
                RoiPoolGradient<T>{elements<T>(given), elements<T>(regions), elements<int32_t>(places), sizes,
                                   static_cast<int32_t>(down * across), mutableElements<T>(out)});
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

PT2_KERNELS(m) {
  m.impl("roi_pool", TORCH_BOX(&pt2::roiPoolOnDevice));
  m.impl("_roi_pool_backward", TORCH_BOX(&pt2::roiPoolBackwardOnDevice));
}
