// Times as the device measures them, for devices whose ops return before they are done.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "plan/plan.h"

namespace pt2 {

class DeviceTimes {
 public:
  // Returns null for devices whose ops are done when they return.
  static std::unique_ptr<DeviceTimes> make(c10::Device device);

  virtual ~DeviceTimes() = default;
  virtual void clear() = 0;
  virtual void start(size_t step) = 0;
  virtual void end(size_t step) = 0;
  // Waits for the device, and replaces the host's times.
  virtual void resolve(std::vector<StepTime>& steps) = 0;
};

}  // namespace pt2
