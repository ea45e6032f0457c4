// A plan as the interpreter reads it: slots renumbered densely, ops resolved, arguments converted, last uses marked.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "plan/args/checks/checks.h"
#include "plan/args/operand.h"
#include "plan/control/control.h"
#include "plan/numbers/scalar-ops.h"

namespace pt2 {

// Where the values of one return go: to a slot, or to one for each item of a list. Nothing where a value is not read.
using Output = std::variant<std::optional<Slot>, std::vector<std::optional<Slot>>>;

inline std::span<std::optional<Slot>> slotsOf(Output& output) {
  if (auto* slot = std::get_if<std::optional<Slot>>(&output)) return {slot, 1};
  return std::get<std::vector<std::optional<Slot>>>(output);
}

inline std::span<const std::optional<Slot>> slotsOf(const Output& output) {
  if (const auto* slot = std::get_if<std::optional<Slot>>(&output)) return {slot, 1};
  return std::get<std::vector<std::optional<Slot>>>(output);
}

// A call of PyTorch's dispatcher.
struct OpNode {
  c10::OperatorHandle handle;
  std::vector<uint32_t> writes;  // operands that the op writes to
  bool writesContents = false;   // not only sizes and strides
  ArgumentChecks checks;         // of arguments that the kernel trusts
  bool mayMixMemory = false;     // of oneDNN and ordinary, among its arguments
};

// Arithmetic on numbers, as Python does it.
struct ScalarNode {
  ScalarOp compute;
};

// An op that runs graphs.
struct ControlNode {
  ControlFactory make;
  std::vector<std::string> names;  // of the operands; empty for those without
  std::vector<size_t> graphs;
  std::vector<size_t> graphPositions;  // among the operands
};

// A node that JavaScript computes.
struct HostNode {};

struct Node {
  std::string op;
  std::vector<Operand> operands;
  std::vector<Output> outputs;
  std::variant<OpNode, ScalarNode, ControlNode, HostNode> kind;
};

struct Graph {
  size_t slots = 0;
  std::vector<std::optional<Slot>> inputs;  // nothing for one that is not read
  std::vector<Node> nodes;
  std::vector<Operand> outputs;
};

struct Program {
  std::vector<Graph> graphs;
  c10::Device device = c10::Device(c10::kCPU);
  bool opaque = false;  // some node may compute tensors that only oneDNN reads
  bool writes = false;  // some node writes to an argument
  bool random = false;  // some node may draw random numbers
};

}  // namespace pt2
