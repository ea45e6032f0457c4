// A graph under execution. The interpreter keeps frames on a stack of its own, so that a run can stop at any depth.
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
  size_t at = 0;  // the node that runs, or runs next
  Slots slots;
  std::unique_ptr<Control> control;  // the control op of the node that runs
  size_t step = 0;                   // the step's index in the profile
  std::optional<AutocastMode> autocast;

  const Node& node() const { return graph->nodes[at]; }
};

// Throws Failure `libtorch.plan` when the number of inputs differs from the graph's.
Frame enter(const Program& program, size_t graph, std::vector<c10::IValue> inputs);

// Returns the outputs of the graph.
std::vector<c10::IValue> leave(Frame& frame);

// Reads the operands of a node that is not an op.
std::vector<c10::IValue> readAll(const std::vector<Operand>& operands, Slots& slots);

// Stores the results of a node in its slots.
void store(const Node& node, Slots& slots, std::vector<c10::IValue>& results);

}  // namespace pt2
