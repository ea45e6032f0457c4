// Compiles the nodes of a plan: ops are resolved, arguments converted, slots renumbered.
#include "plan/compile/compile.h"

#include <optional>
#include <utility>

#include "plan/args/checks/opaque.h"
#include "plan/args/resolve.h"
#include "plan/compile/lifetimes.h"
#include "plan/compile/nesting.h"
#include "plan/compile/slot-map.h"
#include "plan/compile/sparing.h"
#include "plan/compile/writes.h"
#include "plan/plan-error.h"

namespace pt2 {
namespace {

// The constant that an argument is; null where it has no such argument, or a value that runs compute.
const c10::IValue* constantOf(const char* name, const c10::FunctionSchema& schema,
                              const std::vector<Operand>& operands) {
  const std::optional<int> index = schema.argumentIndexWithName(name);
  if (!index.has_value()) return nullptr;
  const Operand& operand = operands[static_cast<size_t>(*index)];
  return operand.kind == Operand::Kind::Constant ? &operand.constant : nullptr;
}

bool isFalse(const char* name, const c10::FunctionSchema& schema, const std::vector<Operand>& operands) {
  const c10::IValue* const value = constantOf(name, schema, operands);
  return value != nullptr && value->isBool() && !value->toBool();
}

// In inference mode batch_norm only reads its statistics.
bool isInference(const c10::FunctionSchema& schema, const std::vector<Operand>& operands) {
  return isFalse("training", schema, operands) || isFalse("use_input_stats", schema, operands);
}

// Dropout draws nothing in inference mode, nor where it drops nothing.
bool drawsRandomNumbers(const c10::OperatorHandle& handle, const std::vector<Operand>& operands) {
  const c10::FunctionSchema& schema = handle.schema();
  if (!mayDrawRandomNumbers(handle)) return false;
  if (isFalse("train", schema, operands) || isFalse("training", schema, operands)) return false;
  const c10::IValue* const probability = constantOf("dropout_p", schema, operands);
  return probability == nullptr || !probability->isDouble() || probability->toDouble() != 0;
}

// Returns the operands that the op writes to.
std::vector<uint32_t> writesOf(const c10::OperatorHandle& handle, const std::vector<Operand>& operands,
                               const std::string& op) {
  const c10::FunctionSchema& schema = handle.schema();
  const bool inference = isInference(schema, operands);
  std::vector<uint32_t> writes;
  for (const uint32_t argument : writtenArguments(handle)) {
    if (inference && schema.arguments()[argument].alias_info() == nullptr) continue;
    // No node could read what is written to a literal; each run would read what the one before wrote.
    if (operands[argument].kind == Operand::Kind::Number) refusePlan("`" + op + "` writes to a number");
    writes.push_back(argument);
  }
  return writes;
}

Node compileOp(const NodeSource& source, Program& program) {
  const c10::OperatorHandle handle = resolveOp(source.op);
  ArgumentChecks checks(handle.schema());
  std::vector<Operand> operands = toOperands(source.args, handle.schema(), {source.op, program.device});
  if (source.outputs.size() > handle.schema().returns().size()) {
    refusePlan("`" + source.op + "` returns " + std::to_string(handle.schema().returns().size()) + " values, not " +
               std::to_string(source.outputs.size()));
  }
  // Nothing protects the inputs from an update.
  const bool update = source.kind == NodeSource::Kind::Update;
  std::vector<uint32_t> writes;
  if (!update) writes = writesOf(handle, operands, source.op);
  program.writes = program.writes || !writes.empty();
  program.random = program.random || drawsRandomNumbers(handle, operands);
  program.readsElements = program.readsElements || readsElements(handle);
  OpNode op{.handle = handle,
            .writes = std::move(writes),
            .writesContents = writesContents(handle),
            .layouts = OperandLayouts(handle.schema()),
            .checks = std::move(checks),
            .mayMixMemory = program.opaque,
            .elementsForThreads = program.sparing ? elementsForThreads(handle) : 0,
            .keep = update ? findOverwrite(source.op) : nullptr};
  return {.op = source.op, .operands = std::move(operands), .outputs = {}, .kind = std::move(op)};
}

[[noreturn]] void refuseUnknown(const NodeSource& source, const char* what) {
  throw Failure("libtorch.no-op", "`" + source.op + "` is no " + what + " that is known here.");
}

std::vector<Operand> operandsOf(const NodeSource& source) {
  std::vector<Operand> operands;
  operands.reserve(source.args.size());
  for (const NamedArg& arg : source.args) operands.push_back(toOperand(arg.arg));
  return operands;
}

Node compileScalar(const NodeSource& source) {
  const ScalarOp compute = findScalarOp(source.op);
  if (compute == nullptr) refuseUnknown(source, "operator on numbers");
  return {.op = source.op, .operands = operandsOf(source), .outputs = {}, .kind = ScalarNode{compute}};
}

Node compileControl(const NodeSource& source, Program& program) {
  ControlNode control{.make = findControl(source.op), .names = {}, .graphs = {}, .graphPositions = {}};
  if (control.make == nullptr) refuseUnknown(source, "higher-order op");
  for (size_t i = 0; i < source.args.size(); ++i) {
    const auto& [name, arg] = source.args[i];
    control.names.push_back(name);
    if (arg.kind != ArgSource::Kind::Graph) continue;
    control.graphs.push_back(static_cast<size_t>(arg.integer));
    control.graphPositions.push_back(i);
  }
  if (control.graphs.size() < leastGraphs(source.op)) {
    throw Failure("libtorch.control", "`" + source.op + "` has " + std::to_string(control.graphs.size()) +
                                          " graphs, and takes " + std::to_string(leastGraphs(source.op)) + ".");
  }
  // Higher-order ops may write and draw random numbers through the ops in their graphs.
  program.random = true;
  program.readsElements = true;
  return {.op = source.op, .operands = operandsOf(source), .outputs = {}, .kind = std::move(control)};
}

Node compileNode(const NodeSource& source, Program& program) {
  switch (source.kind) {
    case NodeSource::Kind::Op:
    case NodeSource::Kind::Update: return compileOp(source, program);
    case NodeSource::Kind::Scalar: return compileScalar(source);
    case NodeSource::Kind::Control: return compileControl(source, program);
    case NodeSource::Kind::Host: break;
  }
  return {.op = source.op, .operands = operandsOf(source), .outputs = {}, .kind = HostNode()};
}

Output defineOutput(const OutputSource& source, SlotMap& slots) {
  std::vector<std::optional<Slot>> defined;
  defined.reserve(source.slots.size());
  for (const std::optional<int64_t> slot : source.slots) defined.push_back(slots.define(slot));
  if (source.list) return defined;
  return defined.empty() ? std::nullopt : defined.front();
}

Graph compileGraph(GraphSource source, size_t index, Program& program) {
  Graph graph;
  SlotMap slots(source.slots);
  std::optional<size_t> at;  // the node that is compiled
  try {
    for (const std::optional<int64_t> slot : source.inputs) graph.inputs.push_back(slots.define(slot));
    graph.nodes.reserve(source.nodes.size());
    for (size_t i = 0; i < source.nodes.size(); ++i) {
      NodeSource& node = source.nodes[i];
      at = i;
      if (node.kind == NodeSource::Kind::Update &&
          (index != 0 || (i + 1 != source.nodes.size() && !findOverwrite(node.op)))) {
        refusePlan("an update that cannot be undone is not the last node of the root graph");
      }
      for (NamedArg& arg : node.args) slots.renumber(arg.arg);
      Node compiled = compileNode(node, program);
      for (const OutputSource& output : node.outputs) compiled.outputs.push_back(defineOutput(output, slots));
      graph.nodes.push_back(std::move(compiled));
    }
    at.reset();
    for (ArgSource& output : source.outputs) {
      slots.renumber(output);
      graph.outputs.push_back(toOperand(output));
    }
  } catch (const Failure& failure) {
    throw located(failure, index, at);
  }
  graph.slots = slots.size();
  markLastUses(graph);
  return graph;
}

}  // namespace

// Only a program with ops of oneDNN can have its tensors.
bool knowsOpaque(const PlanSource& source) {
  for (const GraphSource& graph : source.graphs) {
    for (const NodeSource& node : graph.nodes) {
      if (knowsOpaque(node.op)) return true;
    }
  }
  return false;
}

Program compileProgram(PlanSource source) {
  checkNesting(source);
  Program program;
  program.device = source.device;
  program.sparing = source.sparing;
  program.opaque = knowsOpaque(source);
  program.graphs.reserve(source.graphs.size());
  for (size_t i = 0; i < source.graphs.size(); ++i) {
    program.graphs.push_back(compileGraph(std::move(source.graphs[i]), i, program));
  }
  return program;
}

}  // namespace pt2
