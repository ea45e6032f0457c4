// The requirements of which checks consist. An absent or undefined argument is not checked.
#pragma once

#include <span>

#include "plan/args/checks/arg.h"

namespace pt2 {

using Args = std::span<const Arg>;

// Requires that no tensor among the arguments is sparse, or on another device.
void requirePlain(Args arguments);

// Requires that every element is in [from, to).
void requireRange(const Arg& argument, const at::Tensor& elements, int64_t from, int64_t to);
// Requires offsets: elements from 0 to `last`, none smaller than the one before it along the last dimension.
void requireOffsets(const Arg& argument, const at::Tensor& offsets, int64_t last);

enum class OrEmpty : bool { No, Yes };

// Requires the number of elements, or none where that is allowed.
void requireCount(const Arg& argument, const at::Tensor& tensor, int64_t count, OrEmpty orEmpty = OrEmpty::No);
void requireDims(const Arg& argument, const at::Tensor& tensor, int64_t dims);
void requireSizes(const Arg& argument, const at::Tensor& tensor, at::IntArrayRef sizes);

inline void requireCount(const Arg& argument, int64_t count, OrEmpty orEmpty = OrEmpty::No) {
  requireCount(argument, argument.tensor(), count, orEmpty);
}
inline void requireDims(const Arg& argument, int64_t dims) { requireDims(argument, argument.tensor(), dims); }
inline void requireSizes(const Arg& argument, at::IntArrayRef sizes) {
  requireSizes(argument, argument.tensor(), sizes);
}

// Requires equal batches and channels of a pooling over the last dimensions; the other sizes may differ.
void requirePlanes(const Arg& gradOutput, const Arg& self, int64_t dims);

}  // namespace pt2
