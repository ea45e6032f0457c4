// torchvision::ps_roi_align and its gradient. A region without size has no samples, and their mean is NaN.
#include <tuple>

#include "listed-samples.h"
#include "own-channels.h"
#include "schemas.h"

namespace pt2 {
namespace {

template <typename T>
T meanOfBin(const T* plane, int64_t width, const Grid<T>& grid, int64_t row, int64_t column) {
  T sum = 0;
  for (const auto* y = grid.rows.begin(row); y != grid.rows.end(row); y++) {
    const T *low = plane + y->low * width, *high = plane + y->high * width;
    for (const auto* x = grid.columns.begin(column); x != grid.columns.end(column); x++) {
      sum += y->atLow * x->atLow * low[x->low] + y->atLow * x->atHigh * low[x->high] +
             y->atHigh * x->atLow * high[x->low] + y->atHigh * x->atHigh * high[x->high];
    }
  }
  return sum / grid.count;
}

std::tuple<Tensor, Tensor> psRoiAlign(const Tensor& input, const Tensor& rois, double scale, int64_t down,
                                      int64_t across, int64_t ratio) {
  requireRegions("ps_roi_align", input, rois, down, across);
  requireSamples("ps_roi_align", ratio);
  const Sizes sizes = sizesOf(input);
  const OwnChannels own = ownChannels("ps_roi_align", sizes.channels, down, across);
  const Sampling call = {scale, down, across, ratio, true};
  const Tensor features = wide(input), regions = wide(rois);
  const Tensor out = zeros(features, {rois.size(0), own.out, down, across});
  withNumber(features, [&](auto number) {
    using T = decltype(number);
    const T *from = elements<T>(features), *roi = elements<T>(regions);
    T* to = mutableElements<T>(out);
    torch::stable::parallel_for(0, rois.size(0), 1, [&](int64_t first, int64_t last) {
      Grid<T> grid;
      for (int64_t i = first; i < last; i++) {
        const int64_t picture = pictureOf(roi + i * 5, sizes);
        grid.set(roi + i * 5, call, sizes);
        if (picture < 0) {
          // The mean of nothing is NaN also there.
          std::fill_n(to + i * own.out * own.bins(), own.out * own.bins(), static_cast<T>(0) / grid.count);
          continue;
        }
        for (int64_t c = 0; c < own.out; c++) {
          for (int64_t bin = 0; bin < own.bins(); bin++) {
            const T* plane = from + (picture * sizes.channels + own.channelOf(c, bin)) * sizes.plane();
            to[(i * own.out + c) * own.bins() + bin] = meanOfBin(plane, sizes.width, grid, bin / across, bin % across);
          }
        }
      }
    });
  });
  return {likeThat(out, input), channelMapping(out, rois.size(0), own)};
}

Tensor psRoiAlignBackward(const Tensor& grad, const Tensor& rois, const Tensor& channel_mapping, double scale,
                          int64_t down, int64_t across, int64_t ratio, int64_t batch_size, int64_t channels,
                          int64_t height, int64_t width) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_ps_roi_align_backward", grad, rois, down, across, sizes);
  requireSamples("_ps_roi_align_backward", ratio);
  const Tensor mapping = requireMapping("_ps_roi_align_backward", channel_mapping, grad, sizes);
  const Tensor given = wide(grad), regions = wide(rois);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  const OwnChannels own = {grad.size(1), down, across};
  const Sampling call = {scale, down, across, ratio, true};
  const int32_t* channel = elements<int32_t>(mapping);
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    const T *from = elements<T>(given), *roi = elements<T>(regions);
    T* to = mutableElements<T>(out);
    Grid<T> grid;
    for (int64_t i = 0; i < rois.size(0); i++) {
      const int64_t picture = pictureOf(roi + i * 5, sizes);
      if (picture < 0) continue;
      grid.set(roi + i * 5, call, sizes);
      for (int64_t c = 0; c < own.out; c++) {
        for (int64_t bin = 0; bin < own.bins(); bin++) {
          const int64_t at = (i * own.out + c) * own.bins() + bin;
          T* plane = to + (picture * channels + channel[at]) * sizes.plane();
          spreadBin(from[at], grid, bin / across, bin % across, width, plane);
        }
      }
    }
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision, m) {
  m.def(pt2::kPsRoiAlign);
  m.def(pt2::kPsRoiAlignBackward);
}

STABLE_TORCH_LIBRARY_IMPL(torchvision, CPU, m) {
  m.impl("ps_roi_align", TORCH_BOX(&pt2::psRoiAlign));
  m.impl("_ps_roi_align_backward", TORCH_BOX(&pt2::psRoiAlignBackward));
}
