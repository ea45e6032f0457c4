// The state of the default generators. A run that begins again restores it, so that it draws the same numbers.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <utility>
#include <vector>

namespace pt2 {

class RandomState {
 public:
  // Saves the state of the CPU's generator and of the device's.
  static RandomState save(c10::Device device);
  void restore() const;

 private:
  std::vector<std::pair<c10::Device, at::Tensor>> states_;
};

}  // namespace pt2
