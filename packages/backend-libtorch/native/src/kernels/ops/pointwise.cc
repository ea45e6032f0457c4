// Runs several elementwise ops as one: shapes and strides are `TensorIterator`'s, as in ATen's own ops.
#include <ATen/TensorIterator.h>
#include <ATen/ops/empty.h>

#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "../table.h"
#include "check.h"
#include "ops.h"
#include "pointwise-program.h"
#include "team.h"

namespace pt2 {

namespace {

constexpr const char* kOp = "pointwise";
/// A thread gets at least this many instructions on elements.
constexpr int64_t kWorkPerThread = int64_t{128} * 1024;

/// One pass over memory, checked when it is made: running it cannot fail.
class Pass {
 public:
  /// `out` has the tensors that results are written to, which may be inputs; where it is empty they are made.
  Pass(at::TensorList inputs, at::ArrayRef<double> constants, at::IntArrayRef code, at::IntArrayRef results,
       at::IntArrayRef masks, std::vector<at::Tensor> out)
      : program_(inputs.size(), constants, code, results, masks), inputs_(inputs.size()), out_(std::move(out)) {
    const bool in_place = !out_.empty();
    if (!in_place) make_results(inputs);
    at::TensorIteratorConfig config;
    config.check_all_same_dtype(false).set_check_mem_overlap(in_place).resize_outputs(!in_place);
    for (const at::Tensor& tensor : out_) config.add_output(tensor);
    for (size_t i = 0; i < inputs.size(); ++i) add_input(inputs[i], i, config);
    iterator_.emplace(config.build());
  }

  void run() {
    if (iterator_->numel() == 0) return;
    const Pointwise p{
        .code = program_.instructions.data(),
        .instructions = static_cast<int64_t>(program_.instructions.size()),
        .constants = program_.constants.data(),
        .constants_count = static_cast<int64_t>(program_.constants.size()),
        .input_is_mask = input_is_mask_.data(),
        .inputs = static_cast<int64_t>(inputs_),
        .results = program_.registers.data(),
        .result_is_mask = program_.result_is_mask.data(),
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
  void make_results(at::TensorList inputs) {
    for (size_t i = 0; i < program_.results_count; ++i) {
      const at::ScalarType dtype = program_.result_is_mask[i] ? at::kBool : at::kFloat;
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

  PointwiseProgram program_;
  size_t inputs_;
  std::array<bool, kPointwiseRegisters> input_is_mask_{};
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

at::Tensor round(const at::Tensor& x, at::ScalarType dtype) {
  check_float(x, "round", "x");
  TORCH_CHECK(dtype == at::kHalf || dtype == at::kBFloat16, "pt2::round: dtype must be float16 or bfloat16, got ",
              dtype);
  const PointwiseFn fn = dtype == at::kHalf ? PointwiseFn::kRoundFloat16 : PointwiseFn::kRoundBFloat16;
  return pointwise(x, {}, {static_cast<int64_t>(fn), 1, 0, 0, 0}, {1}, {}).front();
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
