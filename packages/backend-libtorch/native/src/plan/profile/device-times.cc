// Measures the nodes of a run on a GPU with CUDA events.
#include "plan/profile/device-times.h"

#ifdef PT2_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <utility>

namespace pt2 {

#ifdef PT2_CUDA
namespace {

class CudaTimes final : public DeviceTimes {
 public:
  explicit CudaTimes(c10::Device device) : device_(device) { begin_.record(stream()); }

  void clear() override { steps_.clear(); }

  void start(size_t step) override {
    if (steps_.size() <= step) steps_.resize(step + 1);
    steps_[step] = {newEvent(), newEvent()};
    steps_[step].first->record(stream());
  }

  void end(size_t step) override { steps_[step].second->record(stream()); }

  void resolve(std::vector<StepTime>& times) override {
    const c10::cuda::CUDAGuard guard(device_);
    for (size_t i = 0; i < times.size() && i < steps_.size(); ++i) {
      auto& [first, last] = steps_[i];
      last->synchronize();
      times[i].startNs = nanoseconds(begin_.elapsed_time(*first));
      times[i].durationNs = nanoseconds(first->elapsed_time(*last));
    }
  }

 private:
  using Event = std::unique_ptr<at::cuda::CUDAEvent>;

  static Event newEvent() { return std::make_unique<at::cuda::CUDAEvent>(cudaEventDefault); }
  static int64_t nanoseconds(double milliseconds) { return static_cast<int64_t>(milliseconds * 1e6); }
  c10::cuda::CUDAStream stream() const { return c10::cuda::getCurrentCUDAStream(device_.index()); }

  c10::Device device_;
  at::cuda::CUDAEvent begin_{cudaEventDefault};
  std::vector<std::pair<Event, Event>> steps_;
};

}  // namespace

std::unique_ptr<DeviceTimes> DeviceTimes::make(c10::Device device) {
  return device.is_cuda() ? std::make_unique<CudaTimes>(device) : nullptr;
}
#else
std::unique_ptr<DeviceTimes> DeviceTimes::make(c10::Device) { return nullptr; }
#endif

}  // namespace pt2
