// A plan as the interpreter reads it: slots renumbered densely, ops resolved, arguments converted, last uses marked.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Device.h>

#include <optional>
#include <string>
#include <vector>

#include "plan/args/checks/checks.h"
#include "plan/args/operand.h"
#include "plan/control/control.h"
#include "plan/numbers/scalar-ops.h"
#include "plan/source.h"

namespace pt2 {

// Slots of one return; -1 where nobody reads the value.
struct OutputSlots {
  bool list = false;
  int32_t slot = -1;
  std::vector<int32_t> slots;
};

struct Node {
  NodeSource::Kind kind = NodeSource::Kind::Op;
  std::string op;
  std::vector<Operand> operands;
  std::vector<OutputSlots> outputs;

  // Op
  std::optional<c10::OperatorHandle> handle;
  std::vector<uint32_t> writes;  // operands that the op writes to
  bool writesContents = false;   // not only sizes and strides
  ArgumentChecks checks;         // of arguments that the kernel trusts
  bool mayMixMemory = false;     // of oneDNN and ordinary, among its arguments

  // Scalar
  ScalarOp scalar = nullptr;

  // Control
  ControlFactory control = nullptr;
  std::vector<std::string> names;
  std::vector<int32_t> graphs;
  std::vector<size_t> graphPositions;
};

struct Graph {
  int32_t slots = 0;
  std::vector<int32_t> inputs;  // -1 for one that nobody reads
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
