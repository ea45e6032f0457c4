// Devices by PyTorch's names, and the order of work on asynchronous ones. The code works with every build of libtorch:
// it finds out at run time what a build has.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <memory>
#include <optional>
#include <string>

namespace pt2 {

// Parses `cpu`, `cuda` (the first GPU) or `cuda:1`. Throws Failure `libtorch.device` when the machine has no such
// device.
c10::Device parseDevice(const std::string& name);

// Returns the number of usable CUDA devices; 0 when libtorch was built without CUDA.
int cudaDeviceCount();

// Says that a GPU has failed for good, so that nothing is asked of one any more.
void loseDevice() noexcept;

// Frees what cuBLAS computes in on a stream, which PyTorch keeps for each thread and stream: 32 MB on Hopper. No work
// may be under way there but what was recorded. Before libtorch 2.11 it keeps them.
void freeWorkspaces(c10::Stream stream) noexcept;

// A stream for one run at a time, so that kernels of another run never use memory that this run frees. Streams of
// finished runs are used again: the allocator keeps a pool of memory per stream.
class StreamLease {
 public:
  // Throws Failure `libtorch.device-lost` when a GPU has failed for good.
  explicit StreamLease(c10::Device device);
  ~StreamLease();
  StreamLease(const StreamLease&) = delete;
  StreamLease& operator=(const StreamLease&) = delete;

  // Makes the stream the calling thread's while the scope lasts, and waits for its work at the end.
  class Scope {
   public:
    explicit Scope(const StreamLease& lease);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // Waits for the device and throws its failures.
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
