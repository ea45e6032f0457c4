// Adds a bias and a residual, and applies an activation.
#include "cuda/epilogue.h"

#ifdef PT2_CUDA

#include <c10/cuda/CUDAGuard.h>

#include "cuda/activation.h"
#include "cuda/check.h"
#include "cuda/jit.h"

namespace pt2::cuda {
namespace {

constexpr const char* kEpilogue = R"(
extern "C" __global__ void kernel(T* out, const T* bias, const T* residual, unsigned long long count, unsigned columns,
                                  float a, float b) {
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    T value = out[i];
    float* v = (float*)&value;
    if (BIAS) {
      const T add = bias[i % columns];
      for (int j = 0; j < LANES; ++j) v[j] += ((const float*)&add)[j];
    }
    if (RESIDUAL) {
      const T add = residual[i];
      for (int j = 0; j < LANES; ++j) v[j] += ((const float*)&add)[j];
    }
    for (int j = 0; j < LANES; ++j) v[j] = activate(v[j], a, b);
    out[i] = value;
  }
}
)";

}  // namespace

void applyEpilogue(const at::Tensor& out, int64_t columns, const at::Tensor& bias, const at::Tensor& residual,
                   const Activation& activation) {
  const bool plain = !bias.defined() && !residual.defined() && activation.kind == ActivationKind::kNone;
  if (plain || out.numel() == 0) return;
  const c10::cuda::CUDAGuard guard(out.device());
  float* const data = out.mutable_data_ptr<float>();
  const float* const add = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  const float* const other = residual.defined() ? residual.const_data_ptr<float>() : nullptr;
  const bool wide = columns % 4 == 0 && isAligned(data) && isAligned(add) && isAligned(other);
  std::string head = activationSource(activation.kind);
  head += wide ? "#define T float4\n#define LANES 4\n" : "#define T float\n#define LANES 1\n";
  head += bias.defined() ? "#define BIAS 1\n" : "#define BIAS 0\n";
  head += residual.defined() ? "#define RESIDUAL 1\n" : "#define RESIDUAL 0\n";
  const unsigned lanes = wide ? 4 : 1;
  const auto count = static_cast<unsigned long long>(out.numel()) / lanes;
  const auto groups = static_cast<unsigned>(columns / lanes);
  const CUfunction kernel = kernelOf("epilogue\n" + head, [&] { return head + kEpilogue; });
  launch(kernel, count, {&data, &add, &other, &count, &groups, &activation.a, &activation.b});
}

}  // namespace pt2::cuda

#endif
