// A compiled plan: slots are renumbered densely, ops are resolved, arguments are converted, last uses are marked.
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
#include "plan/args/layouts.h"
#include "plan/args/operand.h"
#include "plan/compile/overwrites.h"
#include "plan/control/control.h"
#include "plan/numbers/scalar-ops.h"

namespace pt2 {

// The slots of one return: one slot, or one for each item of a list. A value that no node reads has no slot.
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
  std::vector<uint32_t> writes;    // indices of the operands that the op writes to
  bool writesContents = false;     // whether it writes to elements, and not only to sizes and strides
  OperandLayouts layouts;          // the operands that the kernel reads in the order of their memory
  ArgumentChecks checks;           // the checks of arguments that the kernel does not check
  bool mayMixMemory = false;       // whether its arguments may be oneDNN's tensors beside ordinary ones
  int64_t elementsForThreads = 0;  // with fewer in its arguments it takes no other threads
  KeepOverwritten keep = nullptr;  // of an update that is undone when the run fails
};

// Arithmetic on numbers, which follows Python.
struct ScalarNode {
  ScalarOp compute;
};

// An op that runs graphs.
struct ControlNode {
  ControlFactory make;
  std::vector<std::string> names;  // of the operands; an operand without a name has an empty one
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
  std::vector<std::optional<Slot>> inputs;  // empty for an input that no node reads
  std::vector<Node> nodes;
  std::vector<Operand> outputs;
};

struct Program {
  std::vector<Graph> graphs;
  c10::Device device = c10::Device(c10::kCPU);
  bool opaque = false;         // whether some node may compute tensors that only oneDNN reads
  bool writes = false;         // whether some node writes to an argument
  bool random = false;         // whether some node may draw random numbers
  bool readsElements = false;  // whether numbers or branches depend on elements, for which a run waits for the device
  bool sparing = false;        // whether ops that compute little take no other threads
};

}  // namespace pt2
