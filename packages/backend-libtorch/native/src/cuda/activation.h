// Activations as CUDA C++.
#pragma once

#ifdef PT2_CUDA

#include <string>

#include "kernels/activation.h"

namespace pt2::cuda {

// Defines `float activate(float x, float a, float b)`, with the numbers of an Activation for `a` and `b`. A NaN stays
// one.
inline std::string activationSource(ActivationKind kind) {
  const auto body = [kind]() -> const char* {
    switch (kind) {
      case ActivationKind::kNone: return "x";
      case ActivationKind::kClamp: return "x < a ? a : x > b ? b : x";
      case ActivationKind::kLeakyRelu: return "x > 0.0f ? x : a * x";
      case ActivationKind::kHardSwish: return "x * fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f";
      case ActivationKind::kHardSigmoid: return "x != x ? x : fminf(fmaxf(x + 3.0f, 0.0f), 6.0f) / 6.0f";
      case ActivationKind::kSilu: return "x / (1.0f + expf(-x))";
      case ActivationKind::kSigmoid: return "1.0f / (1.0f + expf(-x))";
      case ActivationKind::kTanh: return "tanhf(x)";
      case ActivationKind::kGeluErf: return "0.5f * x * (1.0f + erff(x * 0.70710678118654752440f))";
      case ActivationKind::kGeluTanh:
        return "0.5f * x * (1.0f + tanhf(0.79788456080286535588f * (x + 0.044715f * x * x * x)))";
    }
    return "x";
  };
  return std::string("__device__ __forceinline__ float activate(float x, float a, float b) { return ") + body() +
         "; }\n";
}

}  // namespace pt2::cuda

#endif
