// Ops over graphs: a state machine that says which graph to run next, so that a run can stop at any depth.
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

// A graph to run with these inputs, or, without a graph, the results of the op.
struct Next {
  std::optional<size_t> graph;
  std::vector<c10::IValue> values = {};
  std::optional<AutocastMode> autocast = {};  // region that the graph runs in
};

class Control {
 public:
  virtual ~Control() = default;
  // First with nothing, then with the outputs of each graph it asked for.
  virtual Next resume(std::vector<c10::IValue> results) = 0;
};

// Operands of a control node. A graph's place in `values` is None.
struct ControlArgs {
  std::string op;
  std::vector<std::string> names;
  std::vector<c10::IValue> values;
  std::vector<size_t> graphs;
  std::vector<size_t> graphPositions;
  c10::Device device;  // that the program runs on
};

using ControlFactory = std::unique_ptr<Control> (*)(ControlArgs args);

// Null for an op that is not known here.
ControlFactory findControl(const std::string& op);

// How many graphs a node of the op must have at least.
size_t leastGraphs(const std::string& op);

}  // namespace pt2
