// Devices by PyTorch's names, and the order of work on those that are asynchronous. Works against every build of
// libtorch: what a build lacks is asked at run time.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <memory>
#include <optional>
#include <string>

namespace pt2 {

// `cpu`, `cuda` (the first one) or `cuda:1`; Failure `libtorch.device` when the machine has no such device.
c10::Device parseDevice(const std::string& name);

// Usable CUDA devices; 0 when libtorch was built without it.
int cudaDeviceCount();

// A stream for one run at a time, so that memory which it frees is never reused under another one's kernels. Streams of
// finished runs are used again: the allocator keeps a pool of memory per stream.
class StreamLease {
 public:
  explicit StreamLease(c10::Device device);
  ~StreamLease();
  StreamLease(const StreamLease&) = delete;
  StreamLease& operator=(const StreamLease&) = delete;

  // Makes it the calling thread's stream while the scope lasts, and waits for its work at the end of it.
  class Scope {
   public:
    explicit Scope(const StreamLease& lease);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // Waits for the device, whose failures surface here.
    void synchronize();

   private:
    const StreamLease& lease_;
    std::optional<c10::Stream> previous_;
    std::optional<c10::Device> previousDevice_;
  };

 private:
  std::optional<c10::Stream> stream_;
};

}  // namespace pt2
