// Describes the GPUs that libtorch sees.
#include "cuda-info.h"

#include "device.h"

#ifdef PT2_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda.h>
#endif

namespace pt2 {

#ifdef PT2_CUDA

Napi::Value cudaInfo(Napi::Env env) {
  const int count = cudaDeviceCount();
  Napi::Array devices = Napi::Array::New(env, static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(i));
    Napi::Object device = Napi::Object::New(env);
    device.Set("name", properties.name);
    device.Set("totalBytes", static_cast<double>(properties.totalGlobalMem));
    device.Set("capability", std::to_string(properties.major) + "." + std::to_string(properties.minor));
    devices.Set(static_cast<uint32_t>(i), device);
  }
  Napi::Object cuda = Napi::Object::New(env);
  cuda.Set("version", std::to_string(CUDA_VERSION / 1000) + "." + std::to_string(CUDA_VERSION % 1000 / 10));
  cuda.Set("devices", devices);
  return cuda;
}

Napi::Array cudaMemory(Napi::Env env) {
  using namespace c10::cuda::CUDACachingAllocator;
  Napi::Array devices = Napi::Array::New(env);
  const int count = get()->initialized() ? cudaDeviceCount() : 0;
  for (int i = 0; i < count; ++i) {
    const auto stats = getDeviceStats(static_cast<c10::DeviceIndex>(i));
    constexpr size_t all = 0;  // of small blocks and large ones
    Napi::Object device = Napi::Object::New(env);
    device.Set("liveBytes", static_cast<double>(stats.allocated_bytes[all].current));
    device.Set("peakBytes", static_cast<double>(stats.allocated_bytes[all].peak));
    device.Set("reservedBytes", static_cast<double>(stats.reserved_bytes[all].current));
    devices.Set(static_cast<uint32_t>(i), device);
  }
  return devices;
}

#else

Napi::Value cudaInfo(Napi::Env env) {
  const int count = cudaDeviceCount();
  return Napi::String::New(env, count == 0
                                    ? std::string("This libtorch has no CUDA, or the machine has no device for it.")
                                    : "Built without the headers of CUDA: " + std::to_string(count) +
                                          " devices can be used, their names are not known.");
}

Napi::Array cudaMemory(Napi::Env env) { return Napi::Array::New(env); }

#endif

}  // namespace pt2
