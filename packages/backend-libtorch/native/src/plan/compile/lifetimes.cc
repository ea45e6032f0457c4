#include "plan/compile/lifetimes.h"

#include <cstddef>
#include <vector>

namespace pt2 {
namespace {

using Flags = std::vector<bool>;

// Visits operands in reverse order of reading.
void markReads(std::vector<Operand>& operands, Flags& readLater) {
  for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
    markReads(operand->items, readLater);
    if (operand->kind != Operand::Kind::Slot) continue;
    const auto slot = static_cast<size_t>(operand->slot);
    operand->last = !readLater[slot];
    readLater[slot] = true;
  }
}

void drop(int32_t& slot, const Flags& readLater) {
  if (slot >= 0 && !readLater[static_cast<size_t>(slot)]) slot = -1;
}

}  // namespace

void markLastUses(Graph& graph) {
  Flags readLater(static_cast<size_t>(graph.slots), false);
  markReads(graph.outputs, readLater);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    for (OutputSlots& output : node->outputs) {
      drop(output.slot, readLater);
      for (int32_t& slot : output.slots) drop(slot, readLater);
    }
    markReads(node->operands, readLater);
  }
  for (int32_t& slot : graph.inputs) drop(slot, readLater);
}

}  // namespace pt2
