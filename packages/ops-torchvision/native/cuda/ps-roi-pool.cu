// torchvision::ps_roi_pool and its gradient on GPUs. As in torchvision, means leave out the last row and the last
// column, and gradients do not.
#include <tuple>

#include "../bins.h"
#include "../own-channels.h"
#include "elements.h"
#include "launch.h"

namespace pt2 {
namespace {

// The numbers of a call, with which the elements of a region [own channels, down, across] find their bins.
struct OwnBins {
  Sizes sizes;
  double scale;
  int32_t down, across, columns;

  template <typename T>
  PT2_DEVICE Range rowsOf(const T* roi, int32_t i, int64_t border) const {
    return BinLine<T>(roi[2], roi[4], scale, 0, border, down).at(i / across % down);
  }

  template <typename T>
  PT2_DEVICE Range columnsOf(const T* roi, int32_t i, int64_t border) const {
    return BinLine<T>(roi[1], roi[3], scale, 0, border, across).at(i % across);
  }
};

template <typename T>
PT2_DEVICE T countOf(Range rows, Range columns) {
  return static_cast<T>((rows.high - rows.low) * (columns.high - columns.low));
}

template <typename T, typename Element>
struct PsRoiPool {
  const Element* features;
  const T* rois;
  OwnBins call;
  Element* out;
  int32_t* mapping;

  // An element of a region: its number is that of the channel that it reads.
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const T* roi = rois + region * 5;
    const Sizes& sizes = call.sizes;
    const int64_t picture = pictureOf(roi, sizes);
    T mean = 0;
    if (picture >= 0) {
      const Range rows = call.rowsOf(roi, i, sizes.height - 1), columns = call.columnsOf(roi, i, sizes.width - 1);
      const Element* plane = features + (picture * sizes.channels + i) * sizes.plane();
      for (int64_t y = rows.low; y < rows.high; y++) {
        for (int64_t x = columns.low; x < columns.high; x++) mean += static_cast<T>(plane[y * sizes.width + x]);
      }
      if (!rows.isEmpty() && !columns.isEmpty()) mean /= countOf<T>(rows, columns);
    }
    out[region * call.columns + i] = static_cast<Element>(mean);
    mapping[region * call.columns + i] = i;
  }
};

std::tuple<Tensor, Tensor> psRoiPoolOnDevice(const Tensor& input, const Tensor& rois, double scale, int64_t down,
                                             int64_t across) {
  requireRegions("ps_roi_pool", input, rois, down, across);
  requireOneDevice("ps_roi_pool", {&input, &rois});
  const Device device(input);
  const Sizes sizes = sizesOf(input);
  requirePlane("ps_roi_pool", sizes.height, sizes.width);
  const OwnChannels own = ownChannels("ps_roi_pool", sizes.channels, down, across);
  const Tensor features = torch::stable::contiguous(input), regions = wide(rois);
  const Tensor out = empty(features, {rois.size(0), own.out, down, across}, features.scalar_type());
  const Tensor mapping = empty(features, {rois.size(0), own.out, down, across}, ScalarType::Int);
  const int64_t columns = own.out * own.bins();
  const OwnBins call = {sizes, scale, static_cast<int32_t>(down), static_cast<int32_t>(across),
                        static_cast<int32_t>(columns)};
  withElement(features, [&](auto element) {
    using Element = decltype(element);
    using T = Wide<Element>;
    device.each(rois.size(0), columns,
                PsRoiPool<T, Element>{elements<Element>(features), elements<T>(regions), call,
                                      mutableElements<Element>(out), mutableElements<int32_t>(mapping)});
  });
  return {out, mapping};
}

template <typename T>
struct PsRoiPoolGradient {
  const T *grads, *rois;
  const int32_t* mapping;
  OwnBins call;
  T* out;

  // A channel that is not there gets nothing.
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const T* roi = rois + region * 5;
    const Sizes& sizes = call.sizes;
    const int64_t picture = pictureOf(roi, sizes), at = region * call.columns + i;
    const int32_t channel = mapping[at];
    if (picture < 0 || channel < 0 || channel >= sizes.channels) return;
    const Range rows = call.rowsOf(roi, i, sizes.height), columns = call.columnsOf(roi, i, sizes.width);
    const T share = grads[at] / countOf<T>(rows, columns);
    T* plane = out + (picture * sizes.channels + channel) * sizes.plane();
    for (int64_t y = rows.low; y < rows.high; y++) {
      for (int64_t x = columns.low; x < columns.high; x++) addTo(plane + y * sizes.width + x, share);
    }
  }
};

Tensor psRoiPoolBackwardOnDevice(const Tensor& grad, const Tensor& rois, const Tensor& channel_mapping, double scale,
                                 int64_t down, int64_t across, int64_t batch_size, int64_t channels, int64_t height,
                                 int64_t width) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_ps_roi_pool_backward", grad, rois, down, across, sizes);
  requireMappingSizes("_ps_roi_pool_backward", channel_mapping, grad);
  requireOneDevice("_ps_roi_pool_backward", {&grad, &rois, &channel_mapping});
  requirePlane("_ps_roi_pool_backward", height, width);
  const Device device(grad);
  const Tensor given = wide(grad), regions = wide(rois), mapping = torch::stable::contiguous(channel_mapping);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  const int64_t columns = grad.size(1) * down * across;
  const OwnBins call = {sizes, scale, static_cast<int32_t>(down), static_cast<int32_t>(across),
                        static_cast<int32_t>(columns)};
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    device.each(rois.size(0), columns,
                PsRoiPoolGradient<T>{elements<T>(given), elements<T>(regions), elements<int32_t>(mapping), call,
                                     mutableElements<T>(out)});
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

PT2_KERNELS(m) {
  m.impl("ps_roi_pool", TORCH_BOX(&pt2::psRoiPoolOnDevice));
  m.impl("_ps_roi_pool_backward", TORCH_BOX(&pt2::psRoiPoolBackwardOnDevice));
}
