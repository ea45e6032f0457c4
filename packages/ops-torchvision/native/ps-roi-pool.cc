// torchvision::ps_roi_pool and its gradient. As in torchvision, means leave out the last row and the last column, and
// gradients do not.
#include <tuple>

#include "bins.h"
#include "own-channels.h"
#include "schemas.h"

namespace pt2 {
namespace {

template <typename T>
T meanOf(const T* plane, int64_t width, Range rows, Range columns) {
  if (rows.isEmpty() || columns.isEmpty()) return 0;
  T sum = 0;
  for (int64_t y = rows.low; y < rows.high; y++) {
    for (int64_t x = columns.low; x < columns.high; x++) sum += plane[y * width + x];
  }
  return sum / static_cast<T>((rows.high - rows.low) * (columns.high - columns.low));
}

std::tuple<Tensor, Tensor> psRoiPool(const Tensor& input, const Tensor& rois, double scale, int64_t down,
                                     int64_t across) {
  requireRegions("ps_roi_pool", input, rois, down, across);
  const Sizes sizes = sizesOf(input);
  const OwnChannels own = ownChannels("ps_roi_pool", sizes.channels, down, across);
  const Tensor features = wide(input), regions = wide(rois);
  const Tensor out = zeros(features, {rois.size(0), own.out, down, across});
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    const T *from = elements<T>(features), *rows = elements<T>(regions);
    T* to = mutableElements<T>(out);
    torch::stable::parallel_for(0, rois.size(0), 1, [&](int64_t first, int64_t last) {
      std::vector<Range> downwards(static_cast<size_t>(down)), sideways(static_cast<size_t>(across));
      for (int64_t i = first; i < last; i++) {
        const T* roi = rows + i * 5;
        const int64_t picture = pictureOf(roi, sizes);
        if (picture < 0) continue;
        setBins(downwards, roi[2], roi[4], scale, 0, sizes.height - 1);
        setBins(sideways, roi[1], roi[3], scale, 0, sizes.width - 1);
        for (int64_t c = 0; c < own.out; c++) {
          for (int64_t bin = 0; bin < own.bins(); bin++) {
            const T* plane = from + (picture * sizes.channels + own.channelOf(c, bin)) * sizes.plane();
            to[(i * own.out + c) * own.bins() + bin] =
                meanOf(plane, sizes.width, downwards[bin / across], sideways[bin % across]);
          }
        }
      }
    });
  });
  return {likeThat(out, input), channelMapping(out, rois.size(0), own)};
}

template <typename T>
void spread(T grad, Range rows, Range columns, int64_t width, T* plane) {
  if (rows.isEmpty() || columns.isEmpty()) return;
  const T share = grad / static_cast<T>((rows.high - rows.low) * (columns.high - columns.low));
  for (int64_t y = rows.low; y < rows.high; y++) {
    for (int64_t x = columns.low; x < columns.high; x++) plane[y * width + x] += share;
  }
}

Tensor psRoiPoolBackward(const Tensor& grad, const Tensor& rois, const Tensor& channel_mapping, double scale,
                         int64_t down, int64_t across, int64_t batch_size, int64_t channels, int64_t height,
                         int64_t width) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_ps_roi_pool_backward", grad, rois, down, across, sizes);
  const Tensor mapping = requireMapping("_ps_roi_pool_backward", channel_mapping, grad, sizes);
  const Tensor given = wide(grad), regions = wide(rois);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  const OwnChannels own = {grad.size(1), down, across};
  const int32_t* channel = elements<int32_t>(mapping);
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    const T *from = elements<T>(given), *rows = elements<T>(regions);
    T* to = mutableElements<T>(out);
    std::vector<Range> downwards(static_cast<size_t>(down)), sideways(static_cast<size_t>(across));
    for (int64_t i = 0; i < rois.size(0); i++) {
      const T* roi = rows + i * 5;
      const int64_t picture = pictureOf(roi, sizes);
      if (picture < 0) continue;
      setBins(downwards, roi[2], roi[4], scale, 0, height);
      setBins(sideways, roi[1], roi[3], scale, 0, width);
      for (int64_t c = 0; c < own.out; c++) {
        for (int64_t bin = 0; bin < own.bins(); bin++) {
          const int64_t at = (i * own.out + c) * own.bins() + bin;
          T* plane = to + (picture * channels + channel[at]) * sizes.plane();
          spread(from[at], downwards[bin / across], sideways[bin % across], width, plane);
        }
      }
    }
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision, m) {
  m.def(pt2::kPsRoiPool);
  m.def(pt2::kPsRoiPoolBackward);
}

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) {
  m.impl("ps_roi_pool", TORCH_BOX(&pt2::psRoiPool));
  m.impl("_ps_roi_pool_backward", TORCH_BOX(&pt2::psRoiPoolBackward));
}
