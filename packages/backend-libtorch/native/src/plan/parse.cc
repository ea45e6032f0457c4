// Reads a plan from JavaScript.
#include "plan/parse.h"

#include <optional>
#include <string>

#include "check.h"
#include "device.h"
#include "plan/parse-arg.h"
#include "plan/plan-error.h"

namespace pt2 {
namespace {

NodeSource::Kind parseNodeKind(const std::string& kind) {
  if (kind == "op") return NodeSource::Kind::Op;
  if (kind == "scalar") return NodeSource::Kind::Scalar;
  if (kind == "control") return NodeSource::Kind::Control;
  if (kind == "host") return NodeSource::Kind::Host;
  refusePlan("\"" + kind + "\" is no kind of node");
}

std::vector<NamedArg> parseNamedArgs(Napi::Array array, const char* field, ArgOrigin origin) {
  std::vector<NamedArg> args;
  args.reserve(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Object item = readObject(array[i], "an argument");
    args.push_back({readString(item.Get("name"), "name of an argument"), parseArg(item.Get(field), origin)});
  }
  return args;
}

// A slot, or nothing for a value that is not read.
std::optional<int64_t> parseSlot(Napi::Value value) {
  if (value.IsNull()) return std::nullopt;
  return parseIndex(value, "a slot");
}

OutputSource parseOutput(Napi::Value value) {
  OutputSource output;
  if (value.IsNull()) return output;
  output.list = value.IsArray();
  if (!output.list) {
    output.slots.push_back(parseIndex(value, "a slot"));
    return output;
  }
  const Napi::Array slots = value.As<Napi::Array>();
  for (uint32_t i = 0; i < slots.Length(); ++i) {
    output.slots.push_back(parseSlot(slots[i]));
  }
  return output;
}

NodeSource parseNode(Napi::Value value) {
  const Napi::Object object = readObject(value, "a node");
  NodeSource node;
  node.kind = parseNodeKind(readString(object.Get("kind"), "kind of a node"));
  node.op = readString(object.Get("op"), "op of a node");
  node.args = parseNamedArgs(readArray(object.Get("args"), "args of a node"), "arg", ArgOrigin::Plan);
  const Napi::Array outputs = readArray(object.Get("outputs"), "outputs of a node");
  for (uint32_t i = 0; i < outputs.Length(); ++i) node.outputs.push_back(parseOutput(outputs[i]));
  return node;
}

GraphSource parseGraph(Napi::Value value) {
  const Napi::Object object = readObject(value, "a graph");
  GraphSource graph;
  graph.slots = parseIndex(object.Get("slots"), "number of slots");
  const Napi::Array inputs = readArray(object.Get("inputs"), "inputs of a graph");
  for (uint32_t i = 0; i < inputs.Length(); ++i) {
    graph.inputs.push_back(parseSlot(inputs[i]));
  }
  const Napi::Array nodes = readArray(object.Get("nodes"), "nodes of a graph");
  graph.nodes.reserve(nodes.Length());
  for (uint32_t i = 0; i < nodes.Length(); ++i) {
    // A large graph makes more handles than Node's scope is meant for.
    const Napi::HandleScope scope(object.Env());
    graph.nodes.push_back(parseNode(nodes[i]));
  }
  const Napi::Array outputs = readArray(object.Get("outputs"), "outputs of a graph");
  for (uint32_t i = 0; i < outputs.Length(); ++i) graph.outputs.push_back(parseArg(outputs[i], ArgOrigin::Plan));
  return graph;
}

}  // namespace

PlanSource parsePlan(Napi::Object object) {
  PlanSource plan;
  plan.device = parseDevice(readString(object.Get("device"), "device of a plan"));
  const Napi::Array graphs = readArray(object.Get("graphs"), "graphs of a plan");
  for (uint32_t i = 0; i < graphs.Length(); ++i) plan.graphs.push_back(parseGraph(graphs[i]));
  return plan;
}

std::vector<NamedArg> parseArgs(Napi::Array args) { return parseNamedArgs(args, "value", ArgOrigin::EagerCall); }

}  // namespace pt2
