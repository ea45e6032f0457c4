// Sizes of a deformable convolution, and the places that it reads.
#pragma once

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
  int64_t taps() const { return kernel[0] * kernel[1]; }
  int64_t pixels() const { return down * across; }
  int64_t plane() const { return height * width; }
  // The places that a channel is read at.
  int64_t places() const { return taps() * pixels(); }
};

Geometry geometryOf(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                    const Tensor& bias, const Deformation& call);

// The places that the channels of an offset group read in one picture, by tap and pixel. A corner outside of the
// picture is the element behind the last one of a plane: planes are copied with a zero there.
template <typename T>
struct Places {
  // The elements above left, above right, below left and below right.
  std::vector<int32_t> corners[4];
  // The parts of the lower and of the right elements, and the mask.
  std::vector<T> y, x, mask;

  // `slopes`: whether what is asked for are slopes, which samples at a distance of exactly 1 from the border have,
  // although they are zero whatever is there.
  Places(const Geometry& geometry, bool slopes);
  // `offset` and `mask` (null: ones) begin with those of the picture and the group.
  void set(const T* offset, const T* mask, const Geometry& geometry, const Deformation& call);

 private:
  bool slopes_;
};

}  // namespace pt2
