// Features with the channels of an element side by side, so that loops over channels fill vectors.
#pragma once

#include <memory>

#include "regions.h"
#include "simd.h"

namespace pt2 {

// A copy of features [N, C, H, W] as [N, H·W, C], channels padded with zeros to whole vectors.
template <typename T>
class ChannelsLast {
 public:
  ChannelsLast(const T* from, const Sizes& sizes)
      : stride_((sizes.channels + kLanes<T> - 1) / kLanes<T> * kLanes<T>),
        plane_(sizes.plane()),
        data_(new T[static_cast<size_t>(sizes.pictures * plane_ * stride_)]) {
    const int64_t tiles = (plane_ + kTile - 1) / kTile;
    torch::stable::parallel_for(0, sizes.pictures * tiles, 8, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; i++) {
        const int64_t picture = i / tiles, at = i % tiles * kTile;
        copy(from + picture * sizes.channels * plane_, at, std::min(kTile, plane_ - at), sizes.channels,
             data_.get() + (picture * plane_ + at) * stride_);
      }
    });
  }

  int64_t stride() const { return stride_; }
  const T* picture(int64_t index) const { return data_.get() + index * plane_ * stride_; }

 private:
  static constexpr int64_t kTile = 16;

  void copy(const T* from, int64_t at, int64_t count, int64_t channels, T* to) const {
    for (int64_t c = 0; c < stride_; c += kTile) {
      const int64_t there = std::min(kTile, std::max<int64_t>(channels - c, 0));
      const int64_t all = std::min(kTile, stride_ - c);
      for (int64_t i = 0; i < count; i++) {
        T* row = to + i * stride_ + c;
        for (int64_t k = 0; k < there; k++) row[k] = from[(c + k) * plane_ + at + i];
        for (int64_t k = there; k < all; k++) row[k] = 0;
      }
    }
  }

  int64_t stride_, plane_;
  std::unique_ptr<T[]> data_;
};

}  // namespace pt2
