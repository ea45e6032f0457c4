// A graph under execution. Frames lie on a stack of their own, so that a run can stop at any depth.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "plan/args/operand.h"
#include "plan/compile/program.h"
#include "plan/control/control.h"

namespace pt2 {

struct Frame {
  Frame(const Graph& graph, size_t index) : graph(&graph), index(index) {}

  const Graph* graph;
  size_t index;
  size_t at = 0;  // node that runs, or runs next
  Slots slots;
  std::unique_ptr<Control> control;  // of the node that runs
  size_t step = 0;                   // of the profile
  std::optional<AutocastMode> autocast;

  const Node& node() const { return graph->nodes[at]; }
};

// Failure `libtorch.plan` when the inputs are not as many as the graph takes.
Frame enter(const Program& program, size_t graph, std::vector<c10::IValue> inputs);

// What the graph returns.
std::vector<c10::IValue> leave(Frame& frame);

// The operands of a node that is no op.
std::vector<c10::IValue> readAll(const std::vector<Operand>& operands, Slots& slots);

// Puts results where the node wants them.
void store(const Node& node, Slots& slots, std::vector<c10::IValue>& results);

}  // namespace pt2
