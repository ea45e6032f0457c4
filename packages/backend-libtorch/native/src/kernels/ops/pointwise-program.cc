// Decodes the instructions of `pt2::pointwise`.
#include "pointwise-program.h"

#include <c10/util/Exception.h>

#include <bitset>

namespace pt2 {

namespace {

constexpr const char* kOp = "pointwise";
/// Numbers of an instruction: function, out, x, y, z.
constexpr size_t kFields = 5;

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

PointwiseProgram::PointwiseProgram(size_t inputs, at::ArrayRef<double> given, at::IntArrayRef code,
                                   at::IntArrayRef results, at::IntArrayRef masks)
    : constants(given.begin(), given.end()), results_count(results.size() + masks.size()) {
  const auto first = static_cast<int64_t>(inputs + constants.size());
  const size_t count = results_count;
  TORCH_CHECK(inputs > 0 && first < kPointwiseRegisters && count > 0 && count <= kPointwiseRegisters, "pt2::", kOp,
              ": ", inputs, " inputs, ", constants.size(), " constants and ", count, " results do not fit ",
              kPointwiseRegisters, " registers");
  Held held(~uint64_t{0} >> (kPointwiseRegisters - first));
  instructions = decode(code, first, held);
  Held is_result;
  for (size_t i = 0; i < count; ++i) {
    const int64_t index = i < results.size() ? results[i] : masks[i - results.size()];
    const uint8_t result = held_register(index, held);
    TORCH_CHECK(index >= first && !is_result[result], "pt2::", kOp, ": register ", index,
                " is an input, or a result already");
    is_result.set(result);
    registers[i] = result;
    result_is_mask[i] = i >= results.size();
  }
}

}  // namespace pt2
