// torchvision::roi_align and its gradient on GPUs: a thread for each element of the result, or of its gradient.
#include "bin-samples.h"
#include "elements.h"

namespace pt2 {
namespace {

// A region without samples has means of 0.
template <typename T>
PT2_DEVICE T countOf(const Lines<T>& lines) {
  return std::max(lines.count(), static_cast<T>(1));
}

template <typename T, typename Element>
struct RoiAlign {
  const Element* features;
  const T* rois;
  Sizes sizes;
  Sampling call;
  Element* out;

  // An element of a region, [channels, down, across].
  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const int32_t across = static_cast<int32_t>(call.across), bins = static_cast<int32_t>(call.down) * across;
    const T* roi = rois + region * 5;
    const int64_t picture = pictureOf(roi, sizes);
    T mean = 0;
    if (picture >= 0) {
      const Lines<T> lines(roi, call, sizes);
      const Element* plane = features + (picture * sizes.channels + i / bins) * sizes.plane();
      mean = sumOfBin(plane, lines, i % bins / across, i % across) / countOf(lines);
    }
    out[region * sizes.channels * bins + i] = static_cast<Element>(mean);
  }
};

Tensor roiAlignOnDevice(const Tensor& input, const Tensor& rois, double scale, int64_t down, int64_t across,
                        int64_t ratio, bool aligned) {
  requireRegions("roi_align", input, rois, down, across);
  requireSamples("roi_align", ratio);
  requireOneDevice("roi_align", {&input, &rois});
  const Device device(input);
  const Sizes sizes = sizesOf(input);
  requirePlane("roi_align", sizes.height, sizes.width);
  const Tensor features = torch::stable::contiguous(input), regions = wide(rois);
  const Tensor out = empty(features, {rois.size(0), sizes.channels, down, across}, features.scalar_type());
  withElement(features, [&](auto element) {
    using Element = decltype(element);
    using T = Wide<Element>;
    device.each(rois.size(0), sizes.channels * down * across,
                RoiAlign<T, Element>{elements<Element>(features), elements<T>(regions), sizes,
                                     Sampling{scale, down, across, ratio, aligned}, mutableElements<Element>(out)});
  });
  return out;
}

template <typename T>
struct RoiAlignGradient {
  const T *grads, *rois;
  Sizes sizes;
  Sampling call;
  T* out;

  PT2_DEVICE void operator()(int64_t region, int32_t i) const {
    const int32_t across = static_cast<int32_t>(call.across), bins = static_cast<int32_t>(call.down) * across;
    const T* roi = rois + region * 5;
    const int64_t picture = pictureOf(roi, sizes);
    if (picture < 0) return;
    const Lines<T> lines(roi, call, sizes);
    T* plane = out + (picture * sizes.channels + i / bins) * sizes.plane();
    const T grad = grads[region * sizes.channels * bins + i];
    spreadOfBin(grad, lines, countOf(lines), i % bins / across, i % across, plane);
  }
};

Tensor roiAlignBackwardOnDevice(const Tensor& grad, const Tensor& rois, double scale, int64_t down, int64_t across,
                                int64_t batch_size, int64_t channels, int64_t height, int64_t width, int64_t ratio,
                                bool aligned) {
  const Sizes sizes = {batch_size, channels, height, width};
  requireGradient("_roi_align_backward", grad, rois, down, across, sizes);
  requireSamples("_roi_align_backward", ratio);
  STD_TORCH_CHECK(grad.size(1) == channels, "_roi_align_backward: grad has other channels");
  requireOneDevice("_roi_align_backward", {&grad, &rois});
  requirePlane("_roi_align_backward", height, width);
  const Device device(grad);
  const Tensor given = wide(grad), regions = wide(rois);
  const Tensor out = zeros(given, {batch_size, channels, height, width});
  withNumber(given, [&](auto number) {
    using T = decltype(number);
    device.each(rois.size(0), channels * down * across,
                RoiAlignGradient<T>{elements<T>(given), elements<T>(regions), sizes,
                                    Sampling{scale, down, across, ratio, aligned}, mutableElements<T>(out)});
  });
  return likeThat(out, grad);
}

}  // namespace
}  // namespace pt2

PT2_KERNELS(m) {
  m.impl("roi_align", TORCH_BOX(&pt2::roiAlignOnDevice));
  m.impl("_roi_align_backward", TORCH_BOX(&pt2::roiAlignBackwardOnDevice));
}
