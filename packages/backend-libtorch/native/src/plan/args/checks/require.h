// The requirements that checks of arguments are made of. What is not there, or is undefined, is not looked at.
#pragma once

#include <span>

#include "plan/args/checks/arg.h"

namespace pt2 {

using Args = std::span<const Arg>;

// No tensor among the arguments is sparse, or of another device.
void requirePlain(Args arguments);

// Every element is in [from, to).
void requireRange(const Arg& argument, const at::Tensor& elements, int64_t from, int64_t to);
// The elements are offsets: from 0 to `last` at most, none smaller than the one before it, along the last dimension.
void requireOffsets(const Arg& argument, const at::Tensor& offsets, int64_t last);

enum class OrEmpty : bool { No, Yes };

// The tensor has so many elements, or perhaps none.
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

// Of a pooling over the last dimensions: batches and channels are the same, sizes may differ.
void requirePlanes(const Arg& gradOutput, const Arg& self, int64_t dims);

}  // namespace pt2
