// Calls NVRTC and the driver, which libtorch's own compiler library is linked to.
#include "cuda/jit.h"

#ifdef PT2_CUDA

#include <ATen/cuda/CUDAContext.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pt2::cuda {
namespace {

using Program = void*;  // nvrtcProgram

// Threads of a block.
constexpr unsigned kThreads = 256;

// The compiler asks for a library of its own by name, which the loader finds where it is loaded already.
void loadBuiltins(void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return;
  std::error_code missing;
  const std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename().string();
    const bool is_builtins = name.rfind("libnvrtc-builtins.so", 0) == 0;
    if (is_builtins) dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

void* openCompiler() {
  // It is in libtorch's folder, and knows where the compiler and the driver are.
  void* const library = dlopen("libcaffe2_nvrtc.so", RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(library != nullptr, "libtorch's libcaffe2_nvrtc.so cannot be loaded: ", dlerror());
  if (void* const function = dlsym(library, "nvrtcVersion")) loadBuiltins(function);
  return library;
}

template <typename Function>
Function* find(const char* name) {
  static void* const library = openCompiler();
  void* const symbol = dlsym(library, name);
  TORCH_CHECK(symbol != nullptr, "libcaffe2_nvrtc.so has no ", name);
  return reinterpret_cast<Function*>(symbol);
}

// The functions of nvrtc.h and cuda.h that are called. Their results are 0 where all went well.
struct Compiler {
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) =
      find<int(Program*, const char*, const char*, int, const char* const*, const char* const*)>("nvrtcCreateProgram");
  int (*compile)(Program, int, const char* const*) = find<int(Program, int, const char* const*)>("nvrtcCompileProgram");
  int (*logSize)(Program, size_t*) = find<int(Program, size_t*)>("nvrtcGetProgramLogSize");
  int (*log)(Program, char*) = find<int(Program, char*)>("nvrtcGetProgramLog");
  int (*size)(Program, size_t*) = find<int(Program, size_t*)>("nvrtcGetCUBINSize");
  int (*binary)(Program, char*) = find<int(Program, char*)>("nvrtcGetCUBIN");
  int (*destroy)(Program*) = find<int(Program*)>("nvrtcDestroyProgram");
  decltype(cuModuleLoadData)* load = find<decltype(cuModuleLoadData)>("cuModuleLoadData");
  decltype(cuModuleGetFunction)* function = find<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
  decltype(cuLaunchKernel)* launch = find<decltype(cuLaunchKernel)>("cuLaunchKernel");
};

const Compiler& compiler() {
  static const auto* compiler = new Compiler();
  return *compiler;
}

std::string compile(const std::string& source) {
  const Compiler& c = compiler();
  const cudaDeviceProp& device = *at::cuda::getCurrentDeviceProperties();
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(device.major) + std::to_string(device.minor);
  Program program = nullptr;
  TORCH_CHECK(c.create(&program, source.c_str(), "pt2.cu", 0, nullptr, nullptr) == 0, "nvrtcCreateProgram failed");
  const char* options[] = {arch.c_str(), "--std=c++17"};
  const int failed = c.compile(program, 2, options);
  size_t size = 0;
  std::string result;
  if (failed == 0) {
    c.size(program, &size);
    result.resize(size);
    c.binary(program, result.data());
  } else {
    c.logSize(program, &size);
    result.resize(size);
    c.log(program, result.data());
  }
  c.destroy(&program);
  TORCH_CHECK(failed == 0, "a kernel does not compile for ", arch, ": ", result);
  return result;
}

}  // namespace

CUfunction kernelOf(const std::string& key, c10::function_ref<std::string()> source) {
  static std::mutex mutex;
  static auto* kernels = new std::map<std::pair<int, std::string>, CUfunction>();
  const std::lock_guard lock(mutex);
  CUfunction& kernel = (*kernels)[{at::cuda::current_device(), key}];
  if (kernel != nullptr) return kernel;
  const std::string binary = compile(source());
  cudaFree(nullptr);  // makes the context of the device current, which the driver's functions ask for
  CUmodule module = nullptr;
  TORCH_CHECK(compiler().load(&module, binary.data()) == CUDA_SUCCESS, "the driver does not load a kernel");
  TORCH_CHECK(compiler().function(&kernel, module, "kernel") == CUDA_SUCCESS, "the driver does not find a kernel");
  return kernel;
}

uint64_t threadsHeld() {
  const cudaDeviceProp& device = *at::cuda::getCurrentDeviceProperties();
  return static_cast<uint64_t>(device.multiProcessorCount) * static_cast<uint64_t>(device.maxThreadsPerMultiProcessor);
}

void launch(CUfunction kernel, uint64_t steps, std::initializer_list<const void*> args) {
  std::vector<void*> pointers;
  for (const void* arg : args) pointers.push_back(const_cast<void*>(arg));
  // At most a few times as many blocks as the device holds at once.
  const uint64_t blocks = std::min((steps + kThreads - 1) / kThreads, 4 * threadsHeld() / kThreads);
  const CUstream stream = at::cuda::getCurrentCUDAStream();
  const CUresult result = compiler().launch(kernel, static_cast<unsigned>(blocks), 1, 1, kThreads, 1, 1, 0, stream,
                                            pointers.data(), nullptr);
  TORCH_CHECK(result == CUDA_SUCCESS, "CUDA error: a kernel was not launched (", static_cast<int>(result), ")");
}

}  // namespace pt2::cuda

#endif
