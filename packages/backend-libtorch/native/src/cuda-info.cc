// Describes the GPUs that libtorch sees.
#include "cuda-info.h"

#include "device.h"

#ifdef PT2_CUDA
#include <ATen/cuda/CUDAContext.h>
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

#else

Napi::Value cudaInfo(Napi::Env env) {
  const int count = cudaDeviceCount();
  return Napi::String::New(env, count == 0
                                    ? std::string("This libtorch has no CUDA, or the machine has no device for it.")
                                    : "Built without the headers of CUDA: " + std::to_string(count) +
                                          " devices can be used, their names are not known.");
}

#endif

}  // namespace pt2
