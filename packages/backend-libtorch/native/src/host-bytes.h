// Elements of a tensor as bytes of JavaScript.
#pragma once

#include <ATen/core/Tensor.h>
#include <napi.h>

namespace pt2 {

// Failure `libtorch.result` for a tensor without plain elements: sparse, quantised, nested, meta, of an unknown dtype.
void requirePlain(const at::Tensor& tensor);

// The same elements, row-major and on the CPU: the tensor itself where it is so already.
at::Tensor toHost(const at::Tensor& tensor);

// The tensor on a device; a copy through page-locked memory if it is not there.
at::Tensor toDevice(const at::Tensor& tensor, c10::Device device);

// A Uint8Array over the memory of what `toHost` gave, which stays until the array is collected; a copy when much memory
// is lent like that already, or the host forbids it.
Napi::Value shareBytes(Napi::Env env, at::Tensor host);

}  // namespace pt2
