// The checks by name of the op, without overload: the first arguments of all overloads are the same.
#pragma once

#include <string_view>
#include <unordered_map>

#include "plan/args/checks/checks.h"

namespace pt2 {

using CheckTable = std::unordered_map<std::string_view, ArgumentCheck>;

const CheckTable& indexChecks();      // elements that are places in another tensor
const CheckTable& shapeChecks();      // shapes that must fit each other
const CheckTable& normChecks();       // those of normalizations
const CheckTable& backwardChecks();   // those of gradients
const CheckTable& optimizerChecks();  // lists of tensors that are walked side by side
const CheckTable& recurrentChecks();  // recurrent layers, and packed sequences
const CheckTable& algebraChecks();    // linear algebra and polynomials
const CheckTable& spectralChecks();   // Fourier transforms
const CheckTable& viewChecks();       // views by size and stride
const CheckTable& valueChecks();      // numbers and lists that some op cannot take

}  // namespace pt2
