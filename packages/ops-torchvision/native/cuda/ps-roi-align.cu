// torchvision::ps_roi_align and its gradient on GPUs. A region without size has no samples, and their mean is NaN.
#include <tuple>

#include "../own-channels.h"
#include "bin-samples.h"
#include "elements.h"

namespace pt2 {
namespace {

template <typename T, typename Element>
struct PsRoiAlign {
  const Element* features;
  const T* rois;
  Sizes sizes;
  Sampling call;
  int32_t columns;
  Element* out;
  int32_t* mapping;

  // An element of a region, [own channels, down, across]: its number is that of the channel that it reads.
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const int32_t across = static_cast<int32_t>(call.across), bins = static_cast<int32_t>(call.down) * across;
    const T* roi = rois + region * 5;
    const int64_t picture = pictureOf(roi, sizes);
    const Lines<T> lines(roi, call, sizes);
    T sum = 0;
    if (picture >= 0) {
      const Element* plane = features + (picture * sizes.channels + i) * sizes.plane();
      sum = sumOfBin(plane, lines, i % bins / across, i % across);
    }
    // The mean of nothing is NaN also where there is no picture.
    out[region * columns + i] = static_cast<Element>(sum / lines.count());
    mapping[region * columns + i] = i;
  }
};

std::tuple<Tensor, Tensor> psRoiAlignOnDevice(const Tensor& input, const Tensor& rois, double scale, int64_t down,
                                              int64_t across, int64_t ratio) {
  requireRegions("ps_roi_align", input, rois, down, across);
  requireSamples("ps_roi_align", ratio);
  requireOneDevice("ps_roi_align", {&input, &rois});
  const Device device(input);
  const Sizes sizes = sizesOf(input);
  requirePlane("ps_roi_align", sizes.height, sizes.width);
  const OwnChannels own = ownChannels("ps_roi_align", sizes.channels, down, across);
  const Tensor features = torch::stable::contiguous(input), regions = wide(rois);
  const Tensor out = empty(features, {rois.size(0), own.out, down, across}, features.scalar_type());
  const Tensor mapping = empty(features, {rois.size(0), own.out, down, across}, ScalarType::Int);
  const int64_t columns = own.out * own.bins();
  withElement(features, [&](auto element) {
    using Element = decltype(element);
    using T = Wide<Element>;
    device.each(rois.size(0), columns,
                PsRoiAlign<T, Element>{elements<Element>(features), elements<T>(regions), sizes,
                                       Sampling{scale, down, across, ratio, true}, static_cast<int32_t>(columns),
                                       mutableElements<Element>(out), mutableElements<int32_t>(mapping)});
  });
  return {out, mapping};
}

template <typename T>
struct PsRoiAlignGradient {
  const T *grads, *rois;
  const int32_t* mapping;
  Sizes sizes;
  Sampling call;
  int32_t columns;
  T* out;

  // A channel that is not there gets nothing.
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const int32_t across = static_cast<int32_t>(call.across), bins = static_cast<int32_t>(call.down) * across;
    const T* roi = rois + region * 5;
    const int64_t picture = pictureOf(roi, sizes), at = region * columns + i;
    const int32_t channel = mapping[at];
    if (picture < 0 || channel < 0 || channel >= sizes.channels) return;
    const Lines<T> lines(roi, call, sizes);
    T* plane = out + (picture * sizes.channels + channel) * sizes.plane();
    spreadOfBin(grads[at], lines, lines.count(), i % bins / across, i % across, plane);
  }
};

Tensor psRoiAlignBackwardOnDevice(const Tensor& grad, const Tensor& rois, const Tensor& channel_mapping, double scale,
                                  int64_t down, int64_t across, int64_t ratio, int64_t batch_size, int64_t channels,
                                  int64_t height, int64_t width) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_ps_roi_align_backward", grad, rois, down, across, sizes);
  requireSamples("_ps_roi_align_backward", ratio);
  requireMappingSizes("_ps_roi_align_backward", channel_mapping, grad);
  requireOneDevice("_ps_roi_align_backward", {&grad, &rois, &channel_mapping});
  requirePlane("_ps_roi_align_backward", height, width);
  const Device device(grad);
  const Tensor given = wide(grad), regions = wide(rois), mapping = torch::stable::contiguous(channel_mapping);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  const int64_t columns = grad.size(1) * down * across;
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    device.each(rois.size(0), columns,
                PsRoiAlignGradient<T>{elements<T>(given), elements<T>(regions), elements<int32_t>(mapping), sizes,
                                      Sampling{scale, down, across, ratio, true}, static_cast<int32_t>(columns),
                                      mutableElements<T>(out)});
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

PT2_KERNELS(m) {
  m.impl("ps_roi_align", TORCH_BOX(&pt2::psRoiAlignOnDevice));
  m.impl("_ps_roi_align_backward", TORCH_BOX(&pt2::psRoiAlignBackwardOnDevice));
}
