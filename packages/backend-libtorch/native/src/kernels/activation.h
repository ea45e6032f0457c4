// The function that a kernel applies to its result before storing it.
#pragma once

#include <cstdint>

namespace pt2 {

enum class ActivationKind : uint8_t {
  kNone,
  kClamp,      // relu, relu6, hardtanh: a <= x <= b
  kLeakyRelu,  // a x below zero
  kHardSwish,
  kHardSigmoid,
  kSilu,
  kSigmoid,
  kTanh,
  kGeluErf,
  kGeluTanh,
};

struct Activation {
  ActivationKind kind = ActivationKind::kNone;
  float a = 0;
  float b = 0;
};

}  // namespace pt2
