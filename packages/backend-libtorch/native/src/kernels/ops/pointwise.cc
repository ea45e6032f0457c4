// Runs several elementwise ops as one: shapes, strides and threads are `TensorIterator`'s, as in ATen's own ops.
#include <ATen/TensorIterator.h>
#include <ATen/ops/empty.h>

#include <array>
#include <bitset>
#include <vector>

#include "../table.h"
#include "check.h"
#include "ops.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "pointwise";
/// Numbers of an instruction: function, out, x, y, z.
constexpr size_t kFields = 5;
/// A thread gets at least this many instructions on elements.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// The registers that hold something.
using Held = std::bitset<kPointwiseRegisters>;

uint8_t held_register(int64_t index, const Held& held) {
  TORCH_CHECK(index >= 0 && index < kPointwiseRegisters && held[index], "pt2::", kOp, ": register ", index,
              " holds nothing");
  return static_cast<uint8_t>(index);
}

/// Checks instructions, which write to registers from `first` on.
std::vector<PointwiseInstruction> decode(at::IntArrayRef code, int64_t first, Held& held) {
  TORCH_CHECK(code.size() % kFields == 0, "pt2::", kOp, ": an instruction has ", kFields, " numbers, got ",
              code.size());
  std::vector<PointwiseInstruction> instructions;
  instructions.reserve(code.size() / kFields);
  for (size_t i = 0; i < code.size(); i += kFields) {
    TORCH_CHECK(code[i] >= 0 && code[i] < static_cast<int64_t>(PointwiseFn::kCount), "pt2::", kOp,
                ": there is no function ", code[i]);
    const int64_t out = code[i + 1];
    TORCH_CHECK(out >= first && out < kPointwiseRegisters, "pt2::", kOp, ": register ", out, " cannot be written to");
    instructions.push_back({
        .fn = static_cast<PointwiseFn>(code[i]),
        .out = static_cast<uint8_t>(out),
        .x = held_register(code[i + 2], held),
        .y = held_register(code[i + 3], held),
        .z = held_register(code[i + 4], held),
    });
    held.set(out);
  }
  return instructions;
}

}  // namespace

std::vector<at::Tensor> pointwise(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                                  at::IntArrayRef results, at::IntArrayRef masks) {
  const auto first = static_cast<int64_t>(inputs.size() + constants.size());
  TORCH_CHECK(!inputs.empty() && first < kPointwiseRegisters && results.size() + masks.size() > 0 &&
                  results.size() + masks.size() <= kPointwiseRegisters,
              "pt2::", kOp, ": ", inputs.size(), " inputs, ", constants.size(), " constants and ",
              results.size() + masks.size(), " results do not fit ", kPointwiseRegisters, " registers");
  Held held(~uint64_t{0} >> (kPointwiseRegisters - first));
  const std::vector<PointwiseInstruction> instructions = decode(code, first, held);
  const std::vector<float> values(constants.begin(), constants.end());
  std::array<bool, kPointwiseRegisters> input_is_mask{};
  std::array<bool, kPointwiseRegisters> result_is_mask{};
  Held is_result;
  std::array<uint8_t, kPointwiseRegisters> registers{};
  std::vector<at::Tensor> out;

  at::TensorIteratorConfig config;
  config.check_all_same_dtype(false).set_check_mem_overlap(false).resize_outputs(true);
  const auto add_result = [&](int64_t index, at::ScalarType dtype) {
    const uint8_t result = held_register(index, held);
    TORCH_CHECK(index >= first && !is_result[result], "pt2::", kOp, ": register ", index,
                " is an input, or a result already");
    is_result.set(result);
    result_is_mask[out.size()] = dtype == at::kBool;
    registers[out.size()] = result;
    out.push_back(at::empty({0}, inputs.front().options().dtype(dtype)));
  };
  for (const int64_t index : results) add_result(index, at::kFloat);
  for (const int64_t index : masks) add_result(index, at::kBool);
  for (const at::Tensor& tensor : out) config.add_output(tensor);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const at::Tensor& input = inputs[i];
    input_is_mask[i] = input.defined() && input.scalar_type() == at::kBool;
    if (!input_is_mask[i]) check_float(input, kOp, "an input");
    TORCH_CHECK(input.device().is_cpu() && input.layout() == at::kStrided, "pt2::", kOp,
                ": an input must be a strided tensor on the CPU, got ", input.toString());
    config.add_const_input(input);
  }
  at::TensorIterator iterator = config.build();
  if (iterator.numel() == 0) return out;
  const Pointwise p{
      .code = instructions.data(),
      .instructions = static_cast<int64_t>(instructions.size()),
      .constants = values.data(),
      .constants_count = static_cast<int64_t>(values.size()),
      .input_is_mask = input_is_mask.data(),
      .inputs = static_cast<int64_t>(inputs.size()),
      .results = registers.data(),
      .result_is_mask = result_is_mask.data(),
      .results_count = static_cast<int64_t>(out.size()),
  };
  const int64_t grain = std::max<int64_t>(kPointwiseBlock, kWorkPerThread / std::max<int64_t>(1, p.instructions));
  iterator.for_each([&p](char** data, const int64_t* strides, int64_t columns,
                         int64_t rows) { kernels().pointwise(p, data, strides, columns, rows); },
                    grain);
  return out;
}

}  // namespace pt2
