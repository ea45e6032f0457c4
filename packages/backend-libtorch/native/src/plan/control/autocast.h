// `torch.autocast` regions of the graphs under execution. Autocast state belongs to the thread, and a run may change
// threads.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <optional>
#include <vector>

namespace pt2 {

struct AutocastMode {
  c10::DeviceType device = c10::DeviceType::CPU;
  std::optional<c10::ScalarType> dtype;  // absent: the device's default
  bool enabled = true;
  std::optional<bool> cache;  // absent: unchanged
};

// The entered regions, the innermost last. It is empty whenever the run is not on a thread.
class AutocastStack {
 public:
  AutocastStack();
  ~AutocastStack();
  AutocastStack(const AutocastStack&) = delete;
  AutocastStack& operator=(const AutocastStack&) = delete;

  void enter(const AutocastMode& mode);
  void leave();
  void clear();

 private:
  class Region;
  std::vector<std::unique_ptr<Region>> regions_;
};

}  // namespace pt2
