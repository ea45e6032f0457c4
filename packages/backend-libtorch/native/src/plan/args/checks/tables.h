// Tables of the checks of each op, and the names of the arguments that each check reads.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plan/args/checks/require.h"

namespace pt2 {

// A check with the names of its arguments in the schema, in order.
struct NamedCheck {
  std::vector<const char*> names;
  void (*run)(Args arguments);
};

// Ops with their overloads whose arguments need the same checks. Where PyTorch's versions differ in a name, an op has
// an entry for each signature. An overload without checks is listed where other overloads of the op have some: an
// overload that is not listed is refused.
struct CheckEntry {
  std::vector<std::string_view> ops;
  std::vector<NamedCheck> checks;
};

using CheckTable = std::vector<CheckEntry>;

template <class Function>
inline constexpr size_t kArity = 0;
template <class... Parameters>
inline constexpr size_t kArity<void (*)(Parameters...)> = sizeof...(Parameters);

// Makes a check that calls `Check` with the arguments of these names: one for each of its parameters, or all as a span.
template <auto Check, class... Names>
NamedCheck reads(Names... names) {
  using Function = decltype(Check);
  if constexpr (std::is_invocable_v<Function, Args>) {
    return {{names...}, Check};
  } else {
    static_assert(kArity<Function> == sizeof...(Names), "a check has a name for each of its parameters");
    return {{names...}, [](Args arguments) {
              [&]<size_t... I>(std::index_sequence<I...>) {
                Check(arguments[I]...);
              }(std::make_index_sequence<sizeof...(Names)>());
            }};
  }
}

const CheckTable& indexChecks();      // elements that are indices into another tensor
const CheckTable& shapeChecks();      // shapes that must fit each other
const CheckTable& normChecks();       // weights and statistics of normalizations
const CheckTable& backwardChecks();   // shapes of gradients
const CheckTable& optimizerChecks();  // lists of tensors that a kernel walks side by side
const CheckTable& recurrentChecks();  // recurrent layers, and packed sequences
const CheckTable& algebraChecks();    // linear algebra and polynomials
const CheckTable& spectralChecks();   // Fourier transforms
const CheckTable& viewChecks();       // views by size and stride
const CheckTable& valueChecks();      // numbers and lists that some op cannot take

}  // namespace pt2
