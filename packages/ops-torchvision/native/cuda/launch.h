// Kernels for GPUs as functors, of which a thread calls one index.
//
// Compiled as plain C++ the calls follow each other, for tests on machines without a GPU: the same source then computes
// on the CPU, under names of its own.
#pragma once

#include "../schemas.h"
#include "../tensors.h"

#ifdef __CUDACC__
#include <cuda_runtime.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/macros.h>

#define PT2_DEVICE __device__
#define PT2_KERNELS(m) STABLE_TORCH_LIBRARY_IMPL(torchvision, CUDA, m)
#else
#define PT2_DEVICE
#define PT2_KERNELS(m) STABLE_TORCH_LIBRARY_IMPL(torchvision_emulated, CPU, m)
#endif

namespace pt2 {

// Checks that all tensors of a call are where the first one is, as the memory of others could not be read there.
inline void requireOneDevice(const char* op, std::initializer_list<const Tensor*> tensors) {
  const Tensor& first = **tensors.begin();
  for (const Tensor* x : tensors) {
    STD_TORCH_CHECK(x->is_cuda() == first.is_cuda() && x->get_device_index() == first.get_device_index(), op,
                    ": all tensors must be on one device");
  }
}

#ifdef __CUDACC__

constexpr int kThreads = 256;
constexpr int kThreadsOfTeam = 512;
// How many numbers a kernel's intermediate result may have before it is computed in parts: a quarter of a gigabyte.
constexpr int64_t kNumbersAtATime = 1 << 26;

// The threads of a block that works alone.
struct Team {
  // Calls `work` with the numbers below `count`. What it wrote is there for all that follows.
  template <typename Work>
  __device__ void each(int64_t count, const Work& work) const {
    for (int64_t i = threadIdx.x; i < count; i += kThreadsOfTeam) work(i);
    __syncthreads();
  }
};

template <typename Kernel>
__global__ void __launch_bounds__(kThreads) eachIndex(int64_t rows, int32_t columns, Kernel kernel) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= columns) return;
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) kernel(row, static_cast<int32_t>(i));
}

template <typename Kernel>
__global__ void __launch_bounds__(kThreadsOfTeam) byTeam(Kernel kernel) {
  __shared__ typename Kernel::Shared shared;
  kernel(Team{}, shared);
}

// The device of a tensor is the current one as long as this lives. Kernels are queued in its current stream.
class Device {
 public:
  explicit Device(const Tensor& x) : guard_(indexOf(x)) {
    void* stream = nullptr;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
    stream_ = static_cast<cudaStream_t>(stream);
  }

  // Calls a kernel with each index [rows, columns].
  template <typename Kernel>
  void each(int64_t rows, int64_t columns, const Kernel& kernel) const {
    requireColumns(columns);
    if (rows <= 0 || columns <= 0) return;
    const dim3 grid(static_cast<unsigned>((columns + kThreads - 1) / kThreads),
                    static_cast<unsigned>(std::min<int64_t>(rows, 65535)));
    eachIndex<<<grid, kThreads, 0, stream_>>>(rows, static_cast<int32_t>(columns), kernel);
    STD_CUDA_KERNEL_LAUNCH_CHECK();
  }

  // Calls a kernel with the threads of one block, and what they share.
  template <typename Kernel>
  void team(const Kernel& kernel) const {
    byTeam<<<1, kThreadsOfTeam, 0, stream_>>>(kernel);
    STD_CUDA_KERNEL_LAUNCH_CHECK();
  }

 private:
  static int32_t indexOf(const Tensor& x) {
    STD_TORCH_CHECK(x.is_cuda(), "the first tensor of the call is not on a GPU");
    return x.get_device_index();
  }

  static void requireColumns(int64_t columns) {
    STD_TORCH_CHECK(columns <= std::numeric_limits<int32_t>::max(), "a part of the result has too many elements");
  }

  torch::stable::accelerator::DeviceGuard guard_;
  cudaStream_t stream_;
};

// Adds to an element that other threads add to.
template <typename T>
__device__ void addTo(T* at, T value) {
  atomicAdd(at, value);
}

#else

// Few, so that small tests have several parts.
constexpr int64_t kNumbersAtATime = 1 << 12;

struct Team {
  template <typename Work>
  void each(int64_t count, const Work& work) const {
    for (int64_t i = 0; i < count; i++) work(i);
  }
};

class Device {
 public:
  explicit Device(const Tensor&) {}

  template <typename Kernel>
  void each(int64_t rows, int64_t columns, const Kernel& kernel) const {
    for (int64_t row = 0; row < rows; row++) {
      for (int64_t i = 0; i < columns; i++) kernel(row, static_cast<int32_t>(i));
    }
  }

  template <typename Kernel>
  void team(const Kernel& kernel) const {
    typename Kernel::Shared shared;
    kernel(Team{}, shared);
  }
};

template <typename T>
void addTo(T* at, T value) {
  *at += value;
}

#endif

}  // namespace pt2
