// Ops that run graphs. Each is a state machine that returns the next graph to run, so that a run can stop at any depth.
#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/control/autocast.h"

namespace pt2 {

// The next graph to run with these inputs or, without a graph, the results of the op.
struct Next {
  std::optional<size_t> graph;
  std::vector<c10::IValue> values = {};
  std::optional<AutocastMode> autocast = {};  // the region that the graph runs in
};

class Control {
 public:
  virtual ~Control() = default;
  // Is called first with nothing, then with the outputs of each graph that it returned.
  virtual Next resume(std::vector<c10::IValue> results) = 0;
};

// The operands of a control node, which outlives its runs. `values` holds None at a graph's position.
struct ControlArgs {
  const std::string& op;
  const std::vector<std::string>& names;
  std::vector<c10::IValue> values;
  const std::vector<size_t>& graphs;
  const std::vector<size_t>& graphPositions;
  c10::Device device;  // on which the program runs
};

using ControlFactory = std::unique_ptr<Control> (*)(ControlArgs args);

// Returns null for an op that is unknown here.
ControlFactory findControl(const std::string& op);

// Returns how many graphs a node of the op must have at least.
size_t leastGraphs(const std::string& op);

}  // namespace pt2
