// Runs several elementwise ops as one: shapes and strides are `TensorIterator`'s, as in ATen's own ops.
#include <ATen/TensorIterator.h>
#include <ATen/ops/empty.h>

#include <array>
#include <bitset>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "team.h"

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

/// One pass over memory, checked when it is made: running it cannot fail.
class Pass {
 public:
  /// `out` has the tensors that results are written to, which may be inputs; where it is empty they are made.
  Pass(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code, at::IntArrayRef results,
       at::IntArrayRef masks, std::vector<at::Tensor> out)
      : constants_(constants.begin(), constants.end()), inputs_(inputs.size()), out_(std::move(out)) {
    const auto first = static_cast<int64_t>(inputs.size() + constants.size());
    const size_t count = results.size() + masks.size();
    TORCH_CHECK(!inputs.empty() && first < kPointwiseRegisters && count > 0 && count <= kPointwiseRegisters,
                "pt2::", kOp, ": ", inputs.size(), " inputs, ", constants.size(), " constants and ", count,
                " results do not fit ", kPointwiseRegisters, " registers");
    Held held(~uint64_t{0} >> (kPointwiseRegisters - first));
    instructions_ = decode(code, first, held);
    Held is_result;
    for (size_t i = 0; i < count; ++i) {
      const int64_t index = i < results.size() ? results[i] : masks[i - results.size()];
      const uint8_t result = held_register(index, held);
      TORCH_CHECK(index >= first && !is_result[result], "pt2::", kOp, ": register ", index,
                  " is an input, or a result already");
      is_result.set(result);
      registers_[i] = result;
      result_is_mask_[i] = i >= results.size();
    }
    const bool in_place = !out_.empty();
    if (!in_place) make_results(inputs, count);
    at::TensorIteratorConfig config;
    config.check_all_same_dtype(false).set_check_mem_overlap(in_place).resize_outputs(!in_place);
    for (const at::Tensor& tensor : out_) config.add_output(tensor);
    for (size_t i = 0; i < inputs.size(); ++i) add_input(inputs[i], i, config);
    iterator_.emplace(config.build());
  }

  void run() {
    if (iterator_->numel() == 0) return;
    const Pointwise p{
        .code = instructions_.data(),
        .instructions = static_cast<int64_t>(instructions_.size()),
        .constants = constants_.data(),
        .constants_count = static_cast<int64_t>(constants_.size()),
        .input_is_mask = input_is_mask_.data(),
        .inputs = static_cast<int64_t>(inputs_),
        .results = registers_.data(),
        .result_is_mask = result_is_mask_.data(),
        .results_count = static_cast<int64_t>(out_.size()),
    };
    const int64_t grain = std::max<int64_t>(kPointwiseBlock, kWorkPerThread / std::max<int64_t>(1, p.instructions));
    const auto loop = [&p](char** data, const int64_t* strides, int64_t columns, int64_t rows) {
      kernels().pointwise(p, data, strides, columns, rows);
    };
    shareRanges(iterator_->numel(), grain,
                [&](int64_t begin, int64_t end) { iterator_->serial_for_each(loop, {begin, end}); });
  }

  std::vector<at::Tensor> take_results() { return std::move(out_); }

 private:
  void make_results(at::TensorList inputs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const at::ScalarType dtype = result_is_mask_[i] ? at::kBool : at::kFloat;
      out_.push_back(at::empty({0}, inputs.front().options().dtype(dtype)));
    }
  }

  void add_input(const at::Tensor& input, size_t i, at::TensorIteratorConfig& config) {
    input_is_mask_[i] = input.defined() && input.scalar_type() == at::kBool;
    if (!input_is_mask_[i]) check_float(input, kOp, "an input");
    TORCH_CHECK(input.device().is_cpu() && input.layout() == at::kStrided, "pt2::", kOp,
                ": an input must be a strided tensor on the CPU, got ", input.toString());
    config.add_const_input(input);
  }

  std::vector<PointwiseInstruction> instructions_;
  std::vector<float> constants_;
  size_t inputs_;
  std::array<bool, kPointwiseRegisters> input_is_mask_{};
  std::array<bool, kPointwiseRegisters> result_is_mask_{};
  std::array<uint8_t, kPointwiseRegisters> registers_{};
  std::vector<at::Tensor> out_;
  std::optional<at::TensorIterator> iterator_;
};

/// The next `count` of the items that passes have one after another.
template <typename List>
List take(const List& all, size_t& at, int64_t count, const char* what) {
  TORCH_CHECK(count >= 0 && static_cast<size_t>(count) <= all.size() - at, "pt2::", kOp, "_: ", what, " end at ",
              all.size(), ", and a pass asks for ", count, " from ", at);
  const List part = all.slice(at, static_cast<size_t>(count));
  at += static_cast<size_t>(count);
  return part;
}

}  // namespace

std::vector<at::Tensor> pointwise(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                                  at::IntArrayRef results, at::IntArrayRef masks) {
  Pass pass(inputs, constants, code, results, masks, {});
  pass.run();
  return pass.take_results();
}

void pointwise_(at::TensorList out, at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code,
                at::IntArrayRef results, at::IntArrayRef counts) {
  constexpr size_t kCounts = 4;
  TORCH_CHECK(counts.size() % kCounts == 0, "pt2::", kOp, "_: a pass has ", kCounts, " counts, got ", counts.size());
  // All are checked before the first one writes.
  std::deque<Pass> passes;
  size_t out_at = 0, inputs_at = 0, constants_at = 0, code_at = 0, results_at = 0;
  for (size_t i = 0; i < counts.size(); i += kCounts) {
    const at::TensorList into = take(out, out_at, counts[i + 3], "tensors to write to");
    TORCH_CHECK(!into.empty(), "pt2::", kOp, "_: a pass writes nothing");
    for (const at::Tensor& tensor : into) check_float(tensor, kOp, "a tensor to write to");
    const at::TensorList read = take(inputs, inputs_at, counts[i], "inputs");
    const at::ArrayRef<double> values = take(constants, constants_at, counts[i + 1], "constants");
    const at::IntArrayRef instructions = take(code, code_at, counts[i + 2], "instructions");
    const at::IntArrayRef registers = take(results, results_at, counts[i + 3], "results");
    passes.emplace_back(read, values, instructions, registers, at::IntArrayRef(), into.vec());
  }
  for (Pass& pass : passes) pass.run();
}

}  // namespace pt2
