// Reads an activation the way `mkldnn::_convolution_pointwise` spells it: a name, its scalars, its variant.
#pragma once

#include <ATen/core/List.h>
#include <c10/core/Scalar.h>

#include <optional>
#include <string>

#include "../activation.h"

namespace pt2 {

using OptionalScalars = c10::List<std::optional<at::Scalar>>;

/// `none`, `relu`, `hardtanh` (min, max), `leaky_relu` (slope), `hardswish`, `hardsigmoid`, `swish`, `sigmoid`, `tanh`,
/// `gelu` with algorithm `none` or `tanh`; anything else is refused.
Activation parse_activation(const std::string& attr, const OptionalScalars& scalars,
                            const std::optional<std::string>& algorithm);

/// The same for ops that take only a name.
Activation parse_activation(const std::string& attr);

}  // namespace pt2
