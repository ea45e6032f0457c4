// Reads activations from the arguments of fused ops.
#include "activation.h"

#include <c10/util/Exception.h>

#include <limits>

namespace pt2 {

namespace {

float scalar_at(const OptionalScalars& scalars, size_t index, const std::string& attr) {
  TORCH_CHECK(index < scalars.size(), "activation ", attr, " needs ", index + 1, " scalars, got ", scalars.size());
  const std::optional<at::Scalar> value = scalars.get(index);
  TORCH_CHECK(value.has_value(), "activation ", attr, ": scalar ", index, " is None");
  return value->toFloat();
}

}  // namespace

Activation parse_activation(const std::string& attr, const OptionalScalars& scalars,
                            const std::optional<std::string>& algorithm) {
  using Kind = ActivationKind;
  if (attr == "none" || attr.empty()) return {};
  if (attr == "relu") return {Kind::kClamp, 0, std::numeric_limits<float>::infinity()};
  if (attr == "hardtanh") return {Kind::kClamp, scalar_at(scalars, 0, attr), scalar_at(scalars, 1, attr)};
  if (attr == "leaky_relu") return {Kind::kLeakyRelu, scalar_at(scalars, 0, attr)};
  if (attr == "hardswish") return {Kind::kHardSwish};
  if (attr == "hardsigmoid") return {Kind::kHardSigmoid};
  if (attr == "swish" || attr == "silu") return {Kind::kSilu};
  if (attr == "sigmoid") return {Kind::kSigmoid};
  if (attr == "tanh") return {Kind::kTanh};
  if (attr == "gelu") {
    const std::string variant = algorithm.value_or("none");
    TORCH_CHECK(variant == "none" || variant == "tanh", "activation gelu: unknown algorithm ", variant);
    return {variant == "tanh" ? Kind::kGeluTanh : Kind::kGeluErf};
  }
  TORCH_CHECK(false, "unknown activation ", attr);
}

Activation parse_activation(const std::string& attr) {
  static const OptionalScalars none;
  return parse_activation(attr, none, std::nullopt);
}

}  // namespace pt2
