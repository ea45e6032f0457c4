// Elements of a tensor as bytes of JavaScript.
#pragma once

#include <ATen/core/Tensor.h>
#include <napi.h>

namespace pt2 {

// Throws Failure `libtorch.result` for a tensor without plain elements: sparse, quantized, nested, meta, or of an
// unknown dtype.
void requirePlain(const at::Tensor& tensor);

// Returns the same elements, row-major and on the CPU: the tensor itself where it is so already.
at::Tensor toHost(const at::Tensor& tensor);

// Returns the tensor on a device: a copy through page-locked memory if it is not there already.
at::Tensor toDevice(const at::Tensor& tensor, c10::Device device);

// Makes a Uint8Array over the memory of what `toHost` returned; the memory lives until the array is collected. It is a
// copy when much memory is lent in this way already, or when the host forbids external memory.
Napi::Value shareBytes(Napi::Env env, at::Tensor host);

}  // namespace pt2
