// Walks a graph backwards to find the last read of each slot.
#include "plan/compile/lifetimes.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace pt2 {
namespace {

using Flags = std::vector<bool>;

// Visits operands in reverse order of reading.
void markReads(std::vector<Operand>& operands, Flags& readLater) {
  for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
    markReads(operand->items, readLater);
    if (operand->kind != Operand::Kind::Slot) continue;
    auto later = readLater[static_cast<size_t>(operand->slot)];
    operand->last = !later;
    later = true;
  }
}

void drop(std::optional<Slot>& slot, const Flags& readLater) {
  if (slot.has_value() && !readLater[static_cast<size_t>(*slot)]) slot.reset();
}

}  // namespace

void markLastUses(Graph& graph) {
  Flags readLater(graph.slots, false);
  markReads(graph.outputs, readLater);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    for (Output& output : node->outputs) {
      for (std::optional<Slot>& slot : slotsOf(output)) drop(slot, readLater);
    }
    markReads(node->operands, readLater);
  }
  for (std::optional<Slot>& slot : graph.inputs) drop(slot, readLater);
}

}  // namespace pt2
