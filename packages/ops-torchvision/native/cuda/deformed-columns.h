// What a deformable convolution reads, as a matrix for each picture, and the gradients of that: a thread for each pixel
// of a channel or of a tap.
#pragma once

#include "../deformed.h"
#include "launch.h"

namespace pt2 {

// What the kernels know of a call: sizes, and the offsets and masks [pictures, offset groups, taps, pixels], two
// offsets each; masks are null where there are none.
template <typename T, typename Element>
struct Deformed {
  Geometry g;
  Deformation call;
  const Element *offsets, *masks;

  PT2_DEVICE int64_t groupOf(int64_t channel) const { return channel / (g.channels / call.offsetGroups); }

  // The place that a tap of a pixel reads in the planes of an offset group.
  PT2_DEVICE Place<T> placeAt(int64_t picture, int64_t group, int32_t tap, int32_t pixel, bool slopes) const {
    const int32_t across = static_cast<int32_t>(g.across), kernel = static_cast<int32_t>(g.kernel[1]);
    const Element* offset = offsets + ((picture * call.offsetGroups + group) * g.taps() + tap) * 2 * g.pixels() + pixel;
    const T y = static_cast<T>(tapAt(pixel / across, tap / kernel, call, 0)) + static_cast<T>(offset[0]);
    const T x = static_cast<T>(tapAt(pixel % across, tap % kernel, call, 1)) + static_cast<T>(offset[g.pixels()]);
    return placeOf(y, x, static_cast<int32_t>(g.height), static_cast<int32_t>(g.width), slopes);
  }

  PT2_DEVICE T maskAt(int64_t picture, int64_t group, int32_t tap, int32_t pixel) const {
    if (masks == nullptr) return 1;
    return static_cast<T>(masks[((picture * call.offsetGroups + group) * g.taps() + tap) * g.pixels() + pixel]);
  }
};

// The elements at the corners of a place; zeros outside of the plane.
template <typename T>
struct AtCorners {
  T a, b, c, d;

  template <typename Element>
  PT2_DEVICE AtCorners(const Element* plane, const Place<T>& place, int32_t end)
      : a(at(plane, place.corners[0], end)),
        b(at(plane, place.corners[1], end)),
        c(at(plane, place.corners[2], end)),
        d(at(plane, place.corners[3], end)) {}

  PT2_DEVICE T mean(const Place<T>& place) const {
    const T up = 1 - place.y, left = 1 - place.x;
    return up * left * a + up * place.x * b + place.y * left * c + place.y * place.x * d;
  }

 private:
  template <typename Element>
  PT2_DEVICE static T at(const Element* plane, int32_t corner, int32_t end) {
    return corner < end ? static_cast<T>(plane[corner]) : static_cast<T>(0);
  }
};

// The matrices [pictures, channels · taps, pixels] of pictures from `first` on. Rows of indices: pictures and channels.
template <typename T, typename Element>
struct Columns {
  Deformed<T, Element> deformed;
  int64_t first;
  const Element* input;
  Element* columns;

  PT2_DEVICE void operator()(int64_t row, int32_t pixel) const {
    const Geometry& g = deformed.g;
    const int64_t picture = first + row / g.channels, channel = row % g.channels, group = deformed.groupOf(channel);
    const Element* plane = input + (picture * g.channels + channel) * g.plane();
    Element* to = columns + row * g.places() + pixel;
    const int32_t taps = static_cast<int32_t>(g.taps()), end = static_cast<int32_t>(g.plane());
    for (int32_t tap = 0; tap < taps; tap++) {
      const Place<T> place = deformed.placeAt(picture, group, tap, pixel, false);
      const T mask = deformed.maskAt(picture, group, tap, pixel);
      to[tap * g.pixels()] = static_cast<Element>(mask * AtCorners<T>(plane, place, end).mean(place));
    }
  }
};

// The gradient of the input from that of the columns. Rows of indices: pictures and channels.
template <typename T>
struct InputGradient {
  Deformed<T, T> deformed;
  int64_t first;
  const T* grads;
  T* out;

  PT2_DEVICE void operator()(int64_t row, int32_t pixel) const {
    const Geometry& g = deformed.g;
    const int64_t picture = first + row / g.channels, channel = row % g.channels, group = deformed.groupOf(channel);
    T* plane = out + (picture * g.channels + channel) * g.plane();
    const int32_t taps = static_cast<int32_t>(g.taps()), end = static_cast<int32_t>(g.plane());
    for (int32_t tap = 0; tap < taps; tap++) {
      const Place<T> place = deformed.placeAt(picture, group, tap, pixel, true);
      const T grad = grads[row * g.places() + tap * g.pixels() + pixel];
      const T masked = grad * deformed.maskAt(picture, group, tap, pixel);
      const T up = 1 - place.y, left = 1 - place.x;
      const T parts[4] = {masked * up * left, masked * up * place.x, masked * place.y * left,
                          masked * place.y * place.x};
      for (int corner = 0; corner < 4; corner++) {
        if (place.corners[corner] < end) addTo(plane + place.corners[corner], parts[corner]);
      }
    }
  }
};

// The gradients of the offsets and of the masks (null: not asked for) from that of the columns. Rows of indices:
// pictures, offset groups and taps.
template <typename T>
struct PlaceGradient {
  Deformed<T, T> deformed;
  int64_t first;
  const T *input, *grads;
  T *offsets, *masks;

  PT2_DEVICE void operator()(int64_t row, int32_t pixel) const {
    const Geometry& g = deformed.g;
    const int64_t groups = deformed.call.offsetGroups, channels = g.channels / groups, here = row / g.taps();
    const int64_t picture = first + here / groups, group = here % groups;
    const int32_t tap = static_cast<int32_t>(row % g.taps()), end = static_cast<int32_t>(g.plane());
    const Place<T> place = deformed.placeAt(picture, group, tap, pixel, true);
    const T mask = deformed.maskAt(picture, group, tap, pixel), up = 1 - place.y, left = 1 - place.x;
    const T* plane = input + (picture * g.channels + group * channels) * g.plane();
    const T* grad = grads + (here * channels * g.taps() + tap) * g.pixels() + pixel;
    T ofY = 0, ofX = 0, ofMask = 0;
    for (int64_t c = 0; c < channels; c++, plane += g.plane(), grad += g.places()) {
      const AtCorners<T> at(plane, place, end);
      const T masked = *grad * mask;
      ofY += masked * (left * (at.c - at.a) + place.x * (at.d - at.b));
      ofX += masked * (up * (at.b - at.a) + place.y * (at.d - at.c));
      ofMask += *grad * at.mean(place);
    }
    const int64_t to = ((picture * groups + group) * g.taps() + tap) * g.pixels();
    offsets[2 * to + pixel] = ofY;
    offsets[2 * to + g.pixels() + pixel] = ofX;
    if (masks != nullptr) masks[to + pixel] = ofMask;
  }
};

}  // namespace pt2
