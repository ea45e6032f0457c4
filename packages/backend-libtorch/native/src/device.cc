// Finds devices by name, and lends streams of a GPU to runs.
#include "device.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/version.h>

#include <atomic>
#include <charconv>
#include <mutex>
#include <vector>

#include "failure.h"

#ifdef PT2_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace pt2 {
namespace {

using c10::Device;
using c10::DeviceType;
using c10::Stream;
using c10::impl::VirtualGuardImpl;

std::atomic<bool> lost = false;

struct IdleStreams {
  std::mutex mutex;
  std::vector<Stream> streams;
};

// The pool of streams is never destroyed: runs may end after static destructors began.
IdleStreams& idleStreams() {
  static auto* idle = new IdleStreams();
  return *idle;
}

#ifdef PT2_CUDA
// A stream that waits for the default stream. Libraries prepare their tables there when a plan is made (cuFFT does),
// which the streams of PyTorch's pool do not wait for: the first runs then computed with half of a table.
Stream newStream(Device device) {
  const c10::cuda::CUDAGuard guard(device);
  cudaStream_t stream = nullptr;
  C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
  return c10::cuda::getStreamFromExternal(stream, device.index()).unwrap();
}
#else
Stream newStream(Device device) { return VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device); }
#endif

Stream takeStream(Device device) {
  IdleStreams& idle = idleStreams();
  const std::lock_guard lock(idle.mutex);
  for (auto it = idle.streams.rbegin(); it != idle.streams.rend(); ++it) {
    if (it->device() != device) continue;
    const Stream stream = *it;
    idle.streams.erase(std::next(it).base());
    return stream;
  }
  return newStream(device);
}

[[noreturn]] void refuseName(const std::string& name) {
  throw Failure("libtorch.device", "device '" + name + "' is not one of cpu, cuda, cuda:N.");
}

}  // namespace

int cudaDeviceCount() {
  if (!c10::impl::hasDeviceGuardImpl(DeviceType::CUDA)) return 0;
  return VirtualGuardImpl(DeviceType::CUDA).deviceCount();
}

Device parseDevice(const std::string& name) {
  if (name == "cpu") return Device(DeviceType::CPU);
  if (!name.starts_with("cuda")) refuseName(name);
  int index = 0;
  if (name.size() > 4) {
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + 5, end, index);
    if (name[4] != ':' || error != std::errc() || rest != end || index < 0) refuseName(name);
  }
  const int count = cudaDeviceCount();
  if (index >= count) {
    throw Failure("libtorch.device",
                  "device '" + name + "' is not there: libtorch sees " + std::to_string(count) +
                      " CUDA devices. Use `cpu`, or a CUDA build of libtorch on a machine with one.");
  }
  return Device(DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
}

void loseDevice() noexcept { lost = true; }

#if defined(PT2_CUDA) && (TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 13)
void freeWorkspaces(Stream stream) noexcept {
  at::cuda::clearCublasWorkspacesForStream(c10::cuda::CUDAStream(stream).stream());
}
#elif defined(PT2_CUDA) && TORCH_VERSION_MINOR >= 11
void freeWorkspaces(Stream stream) noexcept {
  void* const raw = c10::cuda::CUDAStream(stream).stream();
  for (at::cuda::WorkspaceMapWithMutex* const workspaces :
       {&at::cuda::cublas_handle_stream_to_workspace(), &at::cuda::cublaslt_handle_stream_to_workspace()}) {
    const std::unique_lock lock(workspaces->mutex);
    std::erase_if(workspaces->map, [raw](const auto& entry) { return std::get<1>(entry.first) == raw; });
  }
}
#else
void freeWorkspaces(Stream) noexcept {}
#endif

StreamLease::StreamLease(Device device) {
  if (device.is_cpu()) return;
  if (lost) {
    throw Failure(
        "libtorch.device-lost",
        "CUDA has failed in this process, and computes nothing more in it: an error before this one says why.");
  }
  stream_ = takeStream(device);
}

StreamLease::~StreamLease() {
  if (!stream_) return;
  freeWorkspaces(*stream_);
  IdleStreams& idle = idleStreams();
  const std::lock_guard lock(idle.mutex);
  idle.streams.push_back(*stream_);
}

StreamLease::Scope::Scope(const StreamLease& lease) : lease_(lease) {
  if (!lease.stream_) return;
  const VirtualGuardImpl guard(lease.stream_->device_type());
  previousDevice_ = guard.exchangeDevice(lease.stream_->device());
  previous_ = guard.exchangeStream(*lease.stream_);
}

void StreamLease::Scope::synchronize() {
  if (lease_.stream_) VirtualGuardImpl(lease_.stream_->device_type()).synchronizeStream(*lease_.stream_);
}

StreamLease::Scope::~Scope() {
  if (!previous_) return;
  const VirtualGuardImpl guard(previous_->device_type());
  try {
    // The scope waits after a failure as well: the tensors that the run holds are freed next.
    guard.synchronizeStream(*lease_.stream_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the exception that unwinds the stack says more than this one
  }
  guard.exchangeStream(*previous_);
  guard.uncheckedSetDevice(*previousDevice_);
}

}  // namespace pt2
