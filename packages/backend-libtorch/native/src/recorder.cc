// Repeats recorded work: as a CUDA graph on a GPU, by computing it again elsewhere.
#include "recorder.h"

#include "device.h"
#include "failure.h"

#ifdef PT2_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/ScopeExit.h>
#endif

namespace pt2 {
namespace {

class RepeatingRecorder final : public Recorder {
 public:
  void record(Work work) override { work_ = std::move(work); }
  const Values& replay() override { return results_ = work_(); }

 private:
  Work work_;
  Values results_;
};

#ifdef PT2_CUDA

class CudaRecorder final : public Recorder {
 public:
  void record(Work work) override {
    // What libraries prepared on the default stream has to be there. The default stream must not wait for one that
    // records, and does not for those of the pool.
    c10::cuda::device_synchronize();
    const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard guard(stream);
    // What cuBLAS computes in is the graph's alone: another graph that was recorded on this stream may be replayed at
    // the same time.
    const auto freed = c10::make_scope_exit([stream] { freeWorkspaces(stream); });
    // Other threads may allocate memory and launch kernels in the meantime.
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      results_ = work();
    } catch (...) {
      endBrokenCapture();
      throw;
    }
    graph_.capture_end();
  }

  const Values& replay() override {
    graph_.replay();
    return results_;
  }

 private:
  // The stream records until the capture ends, also after a failure.
  void endBrokenCapture() noexcept {
    try {
      graph_.capture_end();
    } catch (...) {
      // The error says that the capture is invalid.
    }
  }

  at::cuda::CUDAGraph graph_;
  Values results_;  // in the graph's own pool of memory
};

#endif

}  // namespace

std::unique_ptr<Recorder> repeatingRecorder() { return std::make_unique<RepeatingRecorder>(); }

#ifdef PT2_CUDA
std::unique_ptr<Recorder> cudaRecorder() { return std::make_unique<CudaRecorder>(); }
#else
std::unique_ptr<Recorder> cudaRecorder() {
  throw Failure("libtorch.device", "CUDA graphs need the native module built with the headers of CUDA.");
}
#endif

}  // namespace pt2
