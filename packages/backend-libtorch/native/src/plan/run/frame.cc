// Enters and leaves graphs, and stores the results of nodes.
#include "plan/run/frame.h"

#include <string>
#include <utility>

#include "plan/plan-error.h"

namespace pt2 {
namespace {

void storeList(const std::vector<std::optional<Slot>>& output, const Node& node, Slots& slots,
               const c10::IValue& value) {
  if (!value.isList()) throw Failure("libtorch.result", "`" + node.op + "` did not return a list.");
  const c10::ArrayRef<c10::IValue> items = value.toListRef();
  if (items.size() != output.size()) {
    throw Failure("libtorch.result", "`" + node.op + "` returned a list of " + std::to_string(items.size()) +
                                         ", and the program was recorded with " + std::to_string(output.size()) + ".");
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (output[i].has_value()) slots[*output[i]] = items[i];
  }
}

}  // namespace

Frame enter(const Program& program, size_t graph, std::vector<c10::IValue> inputs) {
  const Graph& entered = program.graphs[graph];
  if (inputs.size() != entered.inputs.size()) {
    refusePlan("graph " + std::to_string(graph) + " takes " + std::to_string(entered.inputs.size()) +
               " inputs and was given " + std::to_string(inputs.size()));
  }
  Frame frame(entered, graph);
  frame.slots = Slots(entered.slots);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (entered.inputs[i].has_value()) frame.slots[*entered.inputs[i]] = std::move(inputs[i]);
  }
  return frame;
}

std::vector<c10::IValue> leave(Frame& frame) { return readAll(frame.graph->outputs, frame.slots); }

std::vector<c10::IValue> readAll(const std::vector<Operand>& operands, Slots& slots) {
  std::vector<c10::IValue> values(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) read(operands[i], slots, Numbers::Shared, values[i]);
  return values;
}

void store(const Node& node, Slots& slots, std::vector<c10::IValue>& results) {
  if (results.size() < node.outputs.size()) {
    throw Failure("libtorch.result", "`" + node.op + "` gave " + std::to_string(results.size()) +
                                         " results instead of " + std::to_string(node.outputs.size()) + ".");
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto* slot = std::get_if<std::optional<Slot>>(&node.outputs[i]);
    if (slot == nullptr) {
      storeList(std::get<std::vector<std::optional<Slot>>>(node.outputs[i]), node, slots, results[i]);
    } else if (slot->has_value()) {
      slots[**slot] = std::move(results[i]);
    }
  }
}

}  // namespace pt2
