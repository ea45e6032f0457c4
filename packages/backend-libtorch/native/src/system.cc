// Gives JavaScript the functions of the whole process: versions, threads, switches, memory.
#include "system.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <limits>
#include <string>

#include "check.h"
#include "counting-allocator.h"
#include "cuda-info.h"
#include "kernels/processor.h"
#include "library.h"
#include "pool.h"
#include "threads.h"

namespace pt2 {
namespace {

using SetFlag = void (*)(at::Context&, bool);

constexpr std::pair<const char*, SetFlag> kFlags[] = {
    {"deterministic",
     [](at::Context& context, bool on) { context.setDeterministicAlgorithms(on, /*warn_only=*/false); }},
    {"matmulTf32", [](at::Context& context, bool on) { context.setAllowTF32CuBLAS(on); }},
    {"cudnnTf32", [](at::Context& context, bool on) { context.setAllowTF32CuDNN(on); }},
    {"cudnnBenchmark", [](at::Context& context, bool on) { context.setBenchmarkCuDNN(on); }},
    {"mkldnn", [](at::Context& context, bool on) { context.setUserEnabledMkldnn(on); }},
};

// The limit is far above what makes sense, and far below what the system refuses.
constexpr int64_t kMaxThreads = 1024;

int readCount(Napi::Value value, const char* what) {
  const int64_t count = readInteger(value, what, 1);
  if (count > kMaxThreads) refuse(what, "at most 1024");
  return static_cast<int>(count);
}

}  // namespace

Napi::Value info(const Napi::CallbackInfo& info) {
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("version", TORCH_VERSION);
  result.Set("cpuCapability", at::get_cpu_capability());
  result.Set("multipliesBfloat16", multiplies_bfloat16());
  result.Set("threads", at::get_num_threads());
  result.Set("mkldnn", at::globalContext().hasMKLDNN());
  result.Set("mkl", at::globalContext().hasMKL());
  result.Set("cuda", cudaInfo(info.Env()));
  return result;
}

Napi::Value setThreads(const Napi::CallbackInfo& info) {
  setThreads(readCount(info[0], "count"));
  return info.Env().Undefined();
}

Napi::Value setConcurrency(const Napi::CallbackInfo& info) {
  Pool::get().resize(static_cast<size_t>(readCount(info[0], "count")));
  return info.Env().Undefined();
}

Napi::Value setFlags(const Napi::CallbackInfo& info) {
  const Napi::Object flags = readObject(info[0], "flags");
  for (const auto& [name, set] : kFlags) {
    const Napi::Value value = flags.Get(name);
    if (!value.IsUndefined()) set(at::globalContext(), readBool(value, name));
  }
  return info.Env().Undefined();
}

Napi::Value manualSeed(const Napi::CallbackInfo& info) {
  if (!info[0].IsBigInt()) refuse("seed", "a bigint");
  bool lossless = false;
  // A negative seed is read as its two's complement, as in Python.
  at::manual_seed(info[0].As<Napi::BigInt>().Uint64Value(&lossless));
  return info.Env().Undefined();
}

Napi::Value loadLibrary(const Napi::CallbackInfo& info) {
  openLibrary(readString(info[0], "path"));
  return info.Env().Undefined();
}

Napi::Value memory(const Napi::CallbackInfo& info) {
  const MemoryUse use = cpuMemoryUse();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("liveBytes", static_cast<double>(use.live));
  result.Set("peakBytes", static_cast<double>(use.peak));
  result.Set("devices", cudaMemory(info.Env()));
  return result;
}

}  // namespace pt2
