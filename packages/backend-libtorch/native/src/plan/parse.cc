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
  if (kind == "update") return NodeSource::Kind::Update;
  if (kind == "scalar") return NodeSource::Kind::Scalar;
  if (kind == "control") return NodeSource::Kind::Control;
  if (kind == "host") return NodeSource::Kind::Host;
  refusePlan("\"" + kind + "\" is no kind of node");
}

std::vector<NamedArg> parseNamedArgs(Napi::Array array, const char* field, ArgOrigin origin) {
  return readElements(array, [&](Napi::Value value) -> NamedArg {
    const Napi::Object item = readObject(value, "an argument");
    return {readString(item.Get("name"), "name of an argument"), parseArg(item.Get(field), origin)};
  });
}

// Reads a slot, or null for a value that no node reads.
std::optional<int64_t> parseSlot(Napi::Value value) {
  if (value.IsNull()) return std::nullopt;
  return parseIndex(value, "a slot");
}

OutputSource parseOutput(Napi::Value value) {
  OutputSource output;
  if (value.IsNull()) return output;
  output.list = value.IsArray();
  if (!output.list) {
    output.slots.emplace_back(parseIndex(value, "a slot"));
    return output;
  }
  output.slots = readElements(value.As<Napi::Array>(), parseSlot);
  return output;
}

NodeSource parseNode(Napi::Value value) {
  const Napi::Object object = readObject(value, "a node");
  NodeSource node;
  node.kind = parseNodeKind(readString(object.Get("kind"), "kind of a node"));
  node.op = readString(object.Get("op"), "op of a node");
  node.args = parseNamedArgs(readArray(object.Get("args"), "args of a node"), "arg", ArgOrigin::Plan);
  node.outputs = readElements(readArray(object.Get("outputs"), "outputs of a node"), parseOutput);
  return node;
}

GraphSource parseGraph(Napi::Value value) {
  const Napi::Object object = readObject(value, "a graph");
  GraphSource graph;
  graph.slots = parseIndex(object.Get("slots"), "number of slots");
  graph.inputs = readElements(readArray(object.Get("inputs"), "inputs of a graph"), parseSlot);
  graph.nodes = readElements(readArray(object.Get("nodes"), "nodes of a graph"), parseNode);
  graph.outputs = readElements(readArray(object.Get("outputs"), "outputs of a graph"),
                               [](Napi::Value output) { return parseArg(output, ArgOrigin::Plan); });
  return graph;
}

}  // namespace

PlanSource parsePlan(Napi::Object object) {
  PlanSource plan;
  plan.device = parseDevice(readString(object.Get("device"), "device of a plan"));
  const Napi::Value sparing = object.Get("sparing");
  plan.sparing = !sparing.IsUndefined() && readBool(sparing, "sparing of a plan");
  plan.graphs = readElements(readArray(object.Get("graphs"), "graphs of a plan"), parseGraph);
  return plan;
}

std::vector<NamedArg> parseArgs(Napi::Array args) { return parseNamedArgs(args, "value", ArgOrigin::EagerCall); }

}  // namespace pt2
