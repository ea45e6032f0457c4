// Enters and leaves `torch.autocast` regions on the thread that runs.
#include "plan/control/autocast.h"

#include <ATen/autocast_mode.h>

namespace pt2 {

// Sets what `with torch.autocast(…)` sets for the thread, and restores it at the end.
class AutocastStack::Region {
 public:
  explicit Region(const AutocastMode& mode)
      : device_(mode.device),
        enabled_(at::autocast::is_autocast_enabled(mode.device)),
        dtype_(at::autocast::get_autocast_dtype(mode.device)),
        cache_(at::autocast::is_autocast_cache_enabled()) {
    const c10::ScalarType dtype = mode.dtype.value_or(dtype_);
    // PyTorch warns about other dtypes, and continues without autocast.
    const bool supported = dtype == c10::ScalarType::BFloat16 || dtype == c10::ScalarType::Half;
    at::autocast::set_autocast_enabled(device_, mode.enabled && supported);
    at::autocast::set_autocast_dtype(device_, dtype);
    at::autocast::set_autocast_cache_enabled(mode.cache.value_or(cache_));
    at::autocast::increment_nesting();
  }

  ~Region() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, enabled_);
    at::autocast::set_autocast_dtype(device_, dtype_);
    at::autocast::set_autocast_cache_enabled(cache_);
  }

  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  c10::DeviceType device_;
  bool enabled_;
  c10::ScalarType dtype_;
  bool cache_;
};

AutocastStack::AutocastStack() = default;
AutocastStack::~AutocastStack() { clear(); }

void AutocastStack::enter(const AutocastMode& mode) { regions_.push_back(std::make_unique<Region>(mode)); }

void AutocastStack::leave() { regions_.pop_back(); }

void AutocastStack::clear() {
  while (!regions_.empty()) regions_.pop_back();
}

}  // namespace pt2
