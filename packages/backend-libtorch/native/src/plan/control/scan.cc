// Runs the higher-order ops that run a graph for each row of sequences, in order.
#include "plan/control/operands.h"
#include "plan/control/ops.h"

namespace pt2 {
namespace {

// map is a scan that carries no values.
class Scan final : public Control {
 public:
  Scan(ControlArgs args, Values carried, Values sequences, Values additional)
      : args_(std::move(args)),
        carried_(std::move(carried)),
        sequences_(std::move(sequences)),
        additional_(std::move(additional)),
        length_(lengthOf(args_, sequences_)) {}

  Next resume(Values results) override {
    if (started_) collect(std::move(results));
    started_ = true;
    if (row_ == length_) return {std::nullopt, finish()};
    Values inputs = carried_;
    append(inputs, rowOf(sequences_, row_++));
    append(inputs, additional_);
    return {graphAt(args_, 0), std::move(inputs)};
  }

 private:
  void collect(Values results) {
    if (results.size() < carried_.size()) refuseControl(args_, "the body does not give what is carried");
    const auto split = results.begin() + static_cast<std::ptrdiff_t>(carried_.size());
    rows_.emplace_back(std::make_move_iterator(split), std::make_move_iterator(results.end()));
    results.erase(split, results.end());
    carried_ = std::move(results);
  }

  Values finish() {
    Values results = std::move(carried_);
    append(results, stackRows(args_, rows_));
    return results;
  }

  ControlArgs args_;
  Values carried_;
  Values sequences_;
  Values additional_;
  int64_t length_;
  int64_t row_ = 0;
  bool started_ = false;
  std::vector<Values> rows_;
};

}  // namespace

std::unique_ptr<Control> makeMap(ControlArgs args) {
  Values sequences = takeList(args, 1);
  Values additional = takeList(args, 2);
  return std::make_unique<Scan>(std::move(args), Values(), std::move(sequences), std::move(additional));
}

std::unique_ptr<Control> makeScan(ControlArgs args) {
  Values carried = takeList(args, 1);
  Values sequences = takeList(args, 2);
  Values additional = takeList(args, 3);
  return std::make_unique<Scan>(std::move(args), std::move(carried), std::move(sequences), std::move(additional));
}

}  // namespace pt2
