// Activations over a strip of memory that a kernel has just written and that is still in the first-level cache.
#pragma once

#include "../activation.h"
#include "../simd/math.h"

namespace pt2::PT2_ISA {

/// Applies `f` to `rows` runs of `count` <= kLanes floats, `stride` apart.
template <typename F>
inline void map_columns(float* p, int64_t rows, int64_t stride, int64_t count, F f) {
  if (count == kLanes) {
    for (int64_t i = 0; i < rows; ++i, p += stride) store(p, f(load(p)));
  } else {
    // A load waits for a store before it whose whole vector overlaps, so a few runs are loaded before one is stored.
    constexpr int64_t kRuns = 8;
    for (int64_t i = 0; i < rows; i += kRuns, p += kRuns * stride) {
      const int64_t runs = rows - i < kRuns ? rows - i : kRuns;
      Vec v[kRuns];
      for (int64_t j = 0; j < runs; ++j) v[j] = f(load_part(p + j * stride, count));
      for (int64_t j = 0; j < runs; ++j) store_part(p + j * stride, v[j], count);
    }
  }
}

/// Calls `body` with the function of one vector that `activation` stands for.
template <typename Body>
inline void with_activation(const Activation& activation, Body body) {
  const Vec a = splat(activation.a);
  const Vec b = splat(activation.b);
  switch (activation.kind) {
    case ActivationKind::kNone: return body([](Vec x) { return x; });
    case ActivationKind::kClamp: return body([a, b](Vec x) { return clamp(x, a, b); });
    case ActivationKind::kLeakyRelu: return body([a](Vec x) { return x > 0.0f ? x : a * x; });
    case ActivationKind::kHardSwish: return body([](Vec x) { return hard_swish(x); });
    case ActivationKind::kHardSigmoid: return body([](Vec x) { return hard_sigmoid(x); });
    case ActivationKind::kSilu: return body([](Vec x) { return silu(x); });
    case ActivationKind::kSigmoid: return body([](Vec x) { return sigmoid(x); });
    case ActivationKind::kTanh: return body([](Vec x) { return tanh(x); });
    case ActivationKind::kGeluErf: return body([](Vec x) { return gelu_erf(x); });
    case ActivationKind::kGeluTanh: return body([](Vec x) { return gelu_tanh(x); });
  }
}

inline void activate_columns(float* p, int64_t rows, int64_t stride, int64_t count, const Activation& activation) {
  if (activation.kind == ActivationKind::kNone) return;
  with_activation(activation, [&](auto f) { map_columns(p, rows, stride, count, f); });
}

/// Applies an activation to `count` contiguous floats.
inline void activate_span(float* p, int64_t count, const Activation& activation) {
  if (activation.kind == ActivationKind::kNone) return;
  with_activation(activation, [&](auto f) {
    map_columns(p, count / kLanes, kLanes, kLanes, f);
    if (count % kLanes != 0) map_columns(p + count / kLanes * kLanes, 1, kLanes, count % kLanes, f);
  });
}

}  // namespace pt2::PT2_ISA
