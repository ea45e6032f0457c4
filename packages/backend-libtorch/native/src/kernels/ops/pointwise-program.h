// The arguments of `pt2::pointwise`, checked: what is not refused here can be run.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "../pointwise.h"

namespace pt2 {

struct PointwiseProgram {
  /// Refuses what does not fit the registers, reads one that holds nothing, or gives a result twice.
  PointwiseProgram(size_t inputs, at::ArrayRef<double> constants, at::IntArrayRef code, at::IntArrayRef results,
                   at::IntArrayRef masks);

  std::vector<PointwiseInstruction> instructions;
  std::vector<float> constants;
  size_t results_count;
  std::array<uint8_t, kPointwiseRegisters> registers{};  // of the results
  std::array<bool, kPointwiseRegisters> result_is_mask{};
};

}  // namespace pt2
