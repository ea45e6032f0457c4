// Products in float32 by tensor cores.
#ifdef PT2_CUDA

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>

#include "cuda/check.h"
#include "cuda/epilogue.h"
#include "cuda/jit.h"
#include "cuda/ops.h"
#include "cuda/product.h"

namespace pt2::cuda {
namespace {

constexpr const char* kLinearOp = "linear_3xtf32";

// Rows of `inner` vectors of four floats to rows of twice as many: what is nearest in TF32, and the rest in TF32.
constexpr const char* kSplit = R"(
__device__ __forceinline__ float nearest(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}
extern "C" __global__ void kernel(const float4* from, float4* to, unsigned long long count, unsigned inner,
                                  unsigned low_at, unsigned high_at) {
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const float4 given = from[i];
    float4 high, low;
    const float* x = (const float*)&given;
    for (int j = 0; j < 4; ++j) {
      const float h = nearest(x[j]), rest = x[j] - h;
      ((float*)&high)[j] = h;
      ((float*)&low)[j] = isfinite(rest) ? nearest(rest) : 0.0f;
    }
    float4* row = to + i / inner * inner * 2 + i % inner;
    row[high_at] = high;
    row[low_at] = low;
  }
}
)";

enum class Order { kHighFirst, kLowFirst };

// [rows, inner], contiguous, to [rows, 2 inner].
at::Tensor split(const at::Tensor& x, Order order) {
  const int64_t inner = x.size(1);
  const at::Tensor out = at::empty({x.size(0), 2 * inner}, x.options());
  if (out.numel() == 0) return out;
  const at::Tensor given = isAligned(x.const_data_ptr()) ? x : x.clone();
  const float* const from = given.const_data_ptr<float>();
  float* const to = out.mutable_data_ptr<float>();
  const auto count = static_cast<unsigned long long>(x.numel() / 4);
  const auto width = static_cast<unsigned>(inner / 4);
  const unsigned low = order == Order::kLowFirst ? 0 : width, high = width - low;
  const CUfunction kernel = kernelOf("split", [] { return std::string(kSplit); });
  launch(kernel, count, {&from, &to, &count, &width, &low, &high});
  return out;
}

}  // namespace

at::Tensor pack_3xtf32_weight(const at::Tensor& weight) {
  checkFloat(weight, "pack_3xtf32_weight", "weight");
  TORCH_CHECK(weight.dim() == 2 && weight.size(0) % 4 == 0 && weight.size(1) % 4 == 0,
              "pt2::pack_3xtf32_weight: weight must have shape [out, in], multiples of 4, got ", weight.sizes());
  const c10::cuda::CUDAGuard guard(weight.device());
  return split(weight.contiguous(), Order::kLowFirst);
}

at::Tensor linear_3xtf32(const at::Tensor& x, const at::Tensor& packed, int64_t out_features,
                         const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& residual,
                         std::string attr, OptionalScalars scalars, std::optional<std::string> algorithm) {
  checkFloat(x, kLinearOp, "x");
  checkFloat(packed, kLinearOp, "weight");
  const int64_t inner = x.dim() > 0 ? x.size(-1) : 0;
  TORCH_CHECK(packed.dim() == 2 && packed.is_contiguous() && packed.device() == x.device() && out_features > 0 &&
                  packed.size(0) == out_features && inner > 0 && packed.size(1) == 2 * inner && inner % 4 == 0 &&
                  out_features % 4 == 0,
              "pt2::", kLinearOp, ": weight must come from pt2::pack_3xtf32_weight for [", out_features, ", ", inner,
              "] on ", x.device(), ", got ", packed.sizes());
  const c10::cuda::CUDAGuard guard(x.device());
  at::DimVector sizes(x.sizes());
  sizes.back() = out_features;
  const at::Tensor out = at::empty(sizes, x.options().memory_format(at::MemoryFormat::Contiguous));
  const Activation activation = parse_activation(attr, scalars, algorithm);
  const at::Tensor offset = optionalVector(bias, out_features, out, kLinearOp, "bias");
  at::Tensor other = optionalLike(residual, out, at::MemoryFormat::Contiguous, kLinearOp, "residual");
  if (out.numel() == 0) return out;
  if (other.defined() && !isAligned(other.const_data_ptr())) other = other.clone();
  const at::Tensor rows = split(x.contiguous().view({-1, inner}), Order::kHighFirst);
  // The bias is part of the product where nothing else follows, and of the pass over its result else.
  const bool plain = activation.kind == ActivationKind::kNone;
  const bool in_product = plain && offset.defined() && isAligned(offset.const_data_ptr());
  float* const result = out.mutable_data_ptr<float>();
  Product product{
      .rows = rows.size(0),
      .columns = out_features,
      .inner = 2 * inner,
      .a = rows.const_data_ptr<float>(),
      .a_pitch = 2 * inner,
      .b = packed.const_data_ptr<float>(),
      .b_pitch = 2 * inner,
      .bias = in_product ? offset.const_data_ptr<float>() : nullptr,
      .beta = other.defined() ? 1.0f : 0.0f,
      .c = other.defined() ? other.const_data_ptr<float>() : result,
      .d = result,
  };
  multiply(product);  // high low + low high
  product.inner = inner;
  product.b += inner;
  product.bias = nullptr;
  product.beta = 1;
  product.c = result;
  multiply(product);  // high high, which comes last: it is large, and each sum is rounded toward zero
  applyEpilogue(out, out_features, in_product ? at::Tensor() : offset, {}, activation);
  return out;
}

}  // namespace pt2::cuda

#endif
