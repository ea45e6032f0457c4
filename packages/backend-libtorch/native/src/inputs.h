// Reads the inputs of a run: values, and bytes of JavaScript that become tensors.
#pragma once

#include <ATen/core/ivalue.h>
#include <napi.h>

#include <vector>

#include "borrow.h"

namespace pt2 {

// Reads the elements of `array` to the device. Bytes are viewed in place when there is a `borrow` and the device is the
// CPU, else copied.
std::vector<c10::IValue> readInputs(Napi::Value array, c10::Device device, Borrow* borrow);

}  // namespace pt2
