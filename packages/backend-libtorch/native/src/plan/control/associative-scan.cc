// Runs associative_scan in PyTorch's own order, so that floats have the same bits: neighbors are combined, the halved
// sequence is scanned, and the rows in between are combined from both.
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>

#include "plan/control/operands.h"
#include "plan/control/ops.h"

namespace pt2 {
namespace {

class AssociativeScan final : public Control {
 public:
  explicit AssociativeScan(ControlArgs args)
      : args_(std::move(args)), levels_{takeList(args_, 1)}, additional_(takeList(args_, 2)) {}

  Next resume(Values results) override {
    if (levels_.size() == 1 && !started_) {
      started_ = true;
      return descend();
    }
    check(results);
    if (descending_) {
      levels_.push_back(std::move(results));
      return descend();
    }
    merge(std::move(results));
    return ascend();
  }

 private:
  // Combines neighbors of the innermost sequence, unless one row is left.
  Next descend() {
    const Values& rows = levels_.back();
    descending_ = lengthOf(args_, rows) >= 2;
    if (descending_) return call(slices(rows, 0, -1, 2), slices(rows, 1, INT64_MAX, 2));
    odd_ = std::move(levels_.back());
    levels_.pop_back();
    return ascend();
  }

  // `odd_` is the scan of the level below: rows 1, 3, 5, … of this one.
  Next ascend() {
    if (levels_.empty()) return {std::nullopt, std::move(odd_)};
    const Values& rows = levels_.back();
    const bool even = lengthOf(args_, rows) % 2 == 0;
    return call(even ? slices(odd_, 0, -1, 1) : odd_, slices(rows, 2, INT64_MAX, 2));
  }

  // Rows 0, 2, 4, …, of which the first is the sequence's own.
  void merge(Values between) {
    const Values rows = std::move(levels_.back());
    levels_.pop_back();
    for (size_t i = 0; i < rows.size(); ++i) {
      const at::Tensor first = rows[i].toTensor().slice(0, 0, 1);
      const at::Tensor& rest = between[i].toTensor();
      odd_[i] = interleave(rest.numel() > 0 ? at::cat({first, rest}) : first, odd_[i].toTensor());
    }
  }

  static at::Tensor interleave(const at::Tensor& even, const at::Tensor& odd) {
    const int64_t pairs = odd.size(0);
    std::vector<int64_t> shape = odd.sizes().vec();
    shape[0] = 2 * pairs;
    const at::Tensor merged = at::stack({even.slice(0, 0, pairs), odd}, 1).reshape(shape);
    return even.size(0) == pairs ? merged : at::cat({merged, even.slice(0, pairs)});
  }

  Next call(Values left, const Values& right) const {
    append(left, right);
    append(left, additional_);
    return {graphAt(args_, 0), std::move(left)};
  }

  void check(const Values& results) const {
    if (results.size() != levels_.front().size()) refuseControl(args_, "the body does not give one value per sequence");
    for (const c10::IValue& result : results) {
      if (!result.isTensor() || !result.toTensor().defined()) refuseControl(args_, "the body gives no tensor");
    }
  }

  static Values slices(const Values& rows, int64_t start, int64_t end, int64_t step) {
    Values sliced;
    for (const c10::IValue& row : rows) sliced.emplace_back(row.toTensor().slice(0, start, end, step));
    return sliced;
  }

  ControlArgs args_;
  std::vector<Values> levels_;
  Values additional_;
  Values odd_;
  bool started_ = false;
  bool descending_ = true;
};

}  // namespace

std::unique_ptr<Control> makeAssociativeScan(ControlArgs args) {
  return std::make_unique<AssociativeScan>(std::move(args));
}

}  // namespace pt2
