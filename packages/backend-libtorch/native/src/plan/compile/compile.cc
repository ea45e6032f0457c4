#include "plan/compile/compile.h"

#include <utility>

#include "plan/args/checks/opaque.h"
#include "plan/args/resolve.h"
#include "plan/compile/lifetimes.h"
#include "plan/compile/nesting.h"
#include "plan/compile/slot-map.h"
#include "plan/compile/writes.h"
#include "plan/plan-error.h"

namespace pt2 {
namespace {

// batch_norm in inference mode only reads its statistics.
bool isInference(const Node& node) {
  const auto& arguments = node.handle->schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name() != "training" && arguments[i].name() != "use_input_stats") continue;
    const c10::IValue& value = node.operands[i].constant;
    if (node.operands[i].kind == Operand::Kind::Constant && value.isBool()) return !value.toBool();
  }
  return false;
}

bool isDeclared(const Node& node, uint32_t argument) {
  return node.handle->schema().arguments()[argument].alias_info() != nullptr;
}

void compileOp(const NodeSource& source, Node& node, Program& program) {
  node.handle = resolveOp(source.op);
  node.checks = ArgumentChecks(node.handle->schema());
  node.mayMixMemory = program.opaque;
  node.operands = toOperands(source.args, node.handle->schema(), {source.op, program.device});
  if (source.outputs.size() > node.handle->schema().returns().size()) {
    refusePlan("`" + source.op + "` returns " + std::to_string(node.handle->schema().returns().size()) +
               " values, not " + std::to_string(source.outputs.size()));
  }
  const bool inference = isInference(node);
  for (const uint32_t argument : writtenArguments(*node.handle)) {
    if (inference && !isDeclared(node, argument)) continue;
    // Nobody could see what is written to a literal; each run would see the last one's.
    if (node.operands[argument].kind == Operand::Kind::Number) {
      refusePlan("`" + source.op + "` writes to a number");
    }
    node.writes.push_back(argument);
  }
  node.writesContents = writesContents(*node.handle);
  program.writes = program.writes || !node.writes.empty();
  program.random = program.random || mayDrawRandomNumbers(*node.handle);
}

[[noreturn]] void refuseUnknown(const NodeSource& source, const char* what) {
  throw Failure("libtorch.no-op", "`" + source.op + "` is no " + what + " that is known here.");
}

void compileOperands(const NodeSource& source, Node& node) {
  for (const NamedArg& arg : source.args) {
    node.names.push_back(arg.name);
    if (arg.arg.kind == ArgSource::Kind::Graph) {
      node.graphs.push_back(static_cast<int32_t>(arg.arg.integer));
      node.graphPositions.push_back(node.operands.size());
    }
    node.operands.push_back(toOperand(arg.arg));
  }
}

Node compileNode(const NodeSource& source, Program& program) {
  Node node;
  node.kind = source.kind;
  node.op = source.op;
  switch (source.kind) {
    case NodeSource::Kind::Op: compileOp(source, node, program); break;
    case NodeSource::Kind::Scalar:
      node.scalar = findScalarOp(source.op);
      if (node.scalar == nullptr) refuseUnknown(source, "operator on numbers");
      compileOperands(source, node);
      break;
    case NodeSource::Kind::Control:
      node.control = findControl(source.op);
      if (node.control == nullptr) refuseUnknown(source, "higher-order op");
      compileOperands(source, node);
      if (node.graphs.size() < leastGraphs(source.op)) {
        throw Failure("libtorch.control", "`" + source.op + "` has " + std::to_string(node.graphs.size()) +
                                              " graphs, and takes " + std::to_string(leastGraphs(source.op)) + ".");
      }
      // Such ops may write on behalf of others.
      program.random = true;
      break;
    case NodeSource::Kind::Host: compileOperands(source, node); break;
  }
  return node;
}

OutputSlots defineOutput(const OutputSource& source, SlotMap& slots) {
  OutputSlots output;
  output.list = source.list;
  for (const int64_t slot : source.slots) {
    (source.list ? output.slots.emplace_back() : output.slot) = slots.define(slot);
  }
  return output;
}

Graph compileGraph(GraphSource source, int index, Program& program) {
  Graph graph;
  SlotMap slots(source.slots);
  int at = -1;
  try {
    for (const int64_t slot : source.inputs) graph.inputs.push_back(slots.define(slot));
    graph.nodes.reserve(source.nodes.size());
    for (NodeSource& node : source.nodes) {
      ++at;
      for (NamedArg& arg : node.args) slots.renumber(arg.arg);
      Node compiled = compileNode(node, program);
      for (const OutputSource& output : node.outputs) compiled.outputs.push_back(defineOutput(output, slots));
      graph.nodes.push_back(std::move(compiled));
    }
    at = -1;
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
  program.opaque = knowsOpaque(source);
  program.graphs.reserve(source.graphs.size());
  for (size_t i = 0; i < source.graphs.size(); ++i) {
    program.graphs.push_back(compileGraph(std::move(source.graphs[i]), static_cast<int>(i), program));
  }
  return program;
}

}  // namespace pt2
