// Reads graphs, lists and predicates among the operands of higher-order ops.
#include "plan/control/operands.h"

#include <ATen/ops/is_nonzero.h>
#include <ATen/ops/stack.h>

#include <utility>

#include "failure.h"

namespace pt2 {

void refuseControl(const ControlArgs& args, const std::string& what) {
  throw Failure("libtorch.control", "The operands of `" + args.op + "` are not as PyTorch writes them: " + what + ".");
}

size_t graphAt(const ControlArgs& args, size_t index) {
  if (index >= args.graphs.size()) refuseControl(args, "a graph is missing");
  return args.graphs[index];
}

const c10::IValue& valueAt(const ControlArgs& args, size_t index) {
  if (index >= args.values.size()) refuseControl(args, "operand " + std::to_string(index) + " is missing");
  return args.values[index];
}

Values takeList(ControlArgs& args, size_t index) {
  if (index >= args.values.size() || args.values[index].isNone()) return {};
  const c10::IValue list = std::exchange(args.values[index], c10::IValue());
  if (!list.isList()) refuseControl(args, "operand " + std::to_string(index) + " is not a list");
  return list.toListRef().vec();
}

bool truthOf(const ControlArgs& args, const c10::IValue& value) {
  if (value.isTensor() && value.toTensor().defined()) return at::is_nonzero(value.toTensor());
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt() != 0;
  refuseControl(args, std::string("a ") + value.tagKind() + " decides nothing");
}

void append(Values& values, const Values& more) { values.insert(values.end(), more.begin(), more.end()); }

int64_t lengthOf(const ControlArgs& args, const Values& sequences) {
  int64_t length = -1;
  for (const c10::IValue& sequence : sequences) {
    if (!sequence.isTensor() || !sequence.toTensor().defined() || sequence.toTensor().dim() == 0) {
      refuseControl(args, "a sequence is no tensor with a first dimension");
    }
    const int64_t rows = sequence.toTensor().size(0);
    if (length >= 0 && rows != length) refuseControl(args, "sequences have different lengths");
    length = rows;
  }
  if (length < 0) refuseControl(args, "there are no sequences");
  return length;
}

Values rowOf(const Values& sequences, int64_t row) {
  Values rows;
  rows.reserve(sequences.size());
  for (const c10::IValue& sequence : sequences) rows.emplace_back(sequence.toTensor().select(0, row));
  return rows;
}

Values stackRows(const ControlArgs& args, const std::vector<Values>& rows) {
  if (rows.empty()) refuseControl(args, "the sequences are empty, so that nothing says what the results are");
  Values stacked;
  for (size_t i = 0; i < rows.front().size(); ++i) {
    std::vector<at::Tensor> parts;
    for (const Values& row : rows) {
      if (i < row.size() && row[i].isTensor() && row[i].toTensor().defined()) parts.push_back(row[i].toTensor());
    }
    if (parts.empty()) {
      stacked.emplace_back();
    } else {
      stacked.emplace_back(at::stack(parts));
    }
  }
  return stacked;
}

}  // namespace pt2
