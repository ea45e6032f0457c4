// Regions of interest: rows of rois are (picture, x1, y1, x2, y2).
#pragma once

#include "both.h"
#include "tensors.h"

namespace pt2 {

// The sizes of features [N, C, H, W], or of their gradient.
struct Sizes {
  int64_t pictures, channels, height, width;
  PT2_BOTH int64_t plane() const { return height * width; }
};

inline Sizes sizesOf(const Tensor& x) { return {x.size(0), x.size(1), x.size(2), x.size(3)}; }

// torchvision's own conditions for features and regions, and sizes that a tensor can have.
inline void requireRegions(const char* op, const Tensor& input, const Tensor& rois, int64_t down, int64_t across) {
  STD_TORCH_CHECK(rois.dim() == 2 && rois.size(1) == 5, op, ": rois must have shape as Tensor[K, 5]");
  STD_TORCH_CHECK(input.dim() == 4, op, ": input must have four dimensions");
  STD_TORCH_CHECK(input.scalar_type() == rois.scalar_type(), op, ": input and rois must have one dtype");
  requireFloats(op, input);
  STD_TORCH_CHECK(down >= 0 && across >= 0, op, ": the pooled size must not be negative");
}

// The conditions of a gradient [K, C', down, across].
inline void requireGradient(const char* op, const Tensor& grad, const Tensor& rois, int64_t down, int64_t across,
                            const Sizes& sizes) {
  requireRegions(op, grad, rois, down, across);
  STD_TORCH_CHECK(grad.size(0) == rois.size(0) && grad.size(2) == down && grad.size(3) == across, op,
                  ": grad does not fit the regions");
  STD_TORCH_CHECK(sizes.pictures >= 0 && sizes.channels >= 0 && sizes.height >= 0 && sizes.width >= 0, op,
                  ": sizes must not be negative");
}

// The picture of a region; -1 where there is no such picture.
template <typename T>
PT2_BOTH int64_t pictureOf(const T* roi, const Sizes& sizes) {
  const T index = std::trunc(roi[0]);
  return index >= 0 && index < static_cast<T>(sizes.pictures) ? static_cast<int64_t>(index) : -1;
}

// A whole number, cut where torchvision's conversion to an integer of 32 bits means nothing; not of NaN.
template <typename T>
PT2_BOTH int64_t wholeOf(T x) {
  constexpr T kFar = static_cast<T>(int64_t{1} << 31);
  return static_cast<int64_t>(std::min(std::max(x, -kFar), kFar));
}

}  // namespace pt2
