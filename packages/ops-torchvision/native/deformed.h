// Sizes of a deformable convolution, and the places that it reads.
#pragma once

#include "both.h"
#include "tensors.h"

namespace pt2 {

// The numbers of a call.
struct Deformation {
  int64_t stride[2], pad[2], dilation[2], groups, offsetGroups;
  bool useMask;
};

// All sizes, checked against each other by torchvision's own conditions.
struct Geometry {
  int64_t batch, channels, height, width, out, kernel[2], down, across;
  PT2_BOTH int64_t taps() const { return kernel[0] * kernel[1]; }
  PT2_BOTH int64_t pixels() const { return down * across; }
  PT2_BOTH int64_t plane() const { return height * width; }
  // The places that a channel is read at.
  PT2_BOTH int64_t places() const { return taps() * pixels(); }
};

Geometry geometryOf(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                    const Tensor& bias, const Deformation& call);

// Where a sample lies in a plane: the elements above left, above right, below left and below right, and the parts of
// the lower and of the right ones. A corner outside of the plane is the element behind its last one.
template <typename T>
struct Place {
  int32_t corners[4];
  T y, x;
};

// The place of a sample. `slopes`: whether what is asked for are slopes, which samples at a distance of exactly 1 from
// the border have, although they are zero whatever is there.
template <typename T, typename Index>
PT2_BOTH Place<T> placeOf(T y, T x, Index height, Index width, bool slopes) {
  const T bottom = static_cast<T>(height), right = static_cast<T>(width);
  const bool isNear = y >= -1 && y < bottom && x >= -1 && x < right && (slopes || (y > -1 && x > -1));
  // What is NaN reads no element, but remains NaN, unless its other coordinate lies beyond a border.
  const bool isLost = !isNear && !(y <= -1 || y >= bottom || x <= -1 || x >= right);
  const int32_t top = isNear ? static_cast<int32_t>(std::floor(y)) : -2;
  const int32_t left = isNear ? static_cast<int32_t>(std::floor(x)) : -2;
  Place<T> place;
  place.y = isNear || isLost ? y - std::floor(y) : 0;
  place.x = isNear || isLost ? x - std::floor(x) : 0;
  for (int32_t corner = 0; corner < 4; corner++) {
    const int32_t atY = top + corner / 2, atX = left + corner % 2;
    const bool isInside = atY >= 0 && atY < height && atX >= 0 && atX < width;
    place.corners[corner] = static_cast<int32_t>(isInside ? atY * width + atX : height * width);
  }
  return place;
}

// Where a tap of a pixel lies without its offset, along one dimension.
PT2_BOTH inline int64_t tapAt(int64_t pixel, int64_t tap, const Deformation& call, int d) {
  return pixel * call.stride[d] - call.pad[d] + tap * call.dilation[d];
}

// The places that the channels of an offset group read in one picture, by tap and pixel, for CPUs. Planes are copied
// with a zero behind their last element.
template <typename T>
struct Places {
  // The corners of each place.
  std::vector<int32_t> corners[4];
  // The parts of the lower and of the right elements, and the mask.
  std::vector<T> y, x, mask;

  // `slopes`: see `placeOf`.
  Places(const Geometry& geometry, bool slopes);
  // `offset` and `mask` (null: ones) begin with those of the picture and the group.
  void set(const T* offset, const T* mask, const Geometry& geometry, const Deformation& call);

 private:
  bool slopes_;
};

}  // namespace pt2
