// Follows views from the inputs of a graph to the ops that write to them.
#include "plan/compile/input-writes.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

namespace pt2 {
namespace {

using Origins = std::vector<uint32_t>;  // the inputs that a value may view

// Longer lists of origins are dropped, and the write is found by running: the lists of all values together must not
// grow quadratically.
constexpr size_t kMostOrigins = 16;

bool sharesMemory(const c10::AliasInfo& argument, const c10::AliasInfo& result) {
  const std::unordered_set<c10::Symbol>& sets = result.beforeSets();
  return std::any_of(argument.beforeSets().begin(), argument.beforeSets().end(),
                     [&sets](c10::Symbol set) { return sets.count(set) != 0; });
}

class Writes {
 public:
  explicit Writes(const Graph& graph) : origins_(graph.slots), written_(graph.inputs.size()) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      if (graph.inputs[i].has_value()) at(*graph.inputs[i]).push_back(static_cast<uint32_t>(i));
    }
    for (const Node& node : graph.nodes) {
      if (const auto* op = std::get_if<OpNode>(&node.kind)) visit(node, *op);
    }
  }

  std::vector<bool> take() { return std::move(written_); }

 private:
  Origins& at(Slot slot) { return origins_[static_cast<size_t>(slot)]; }

  void visit(const Node& node, const OpNode& op) {
    for (const uint32_t argument : op.writes) {
      Origins inputs;
      collect(node.operands[argument], inputs);
      for (const uint32_t input : inputs) written_[input] = true;
    }
    const c10::FunctionSchema& schema = op.handle.schema();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const c10::AliasInfo* result = schema.returns()[i].alias_info();
      if (result == nullptr) continue;
      Origins viewed;
      for (size_t j = 0; j < schema.arguments().size(); ++j) {
        const c10::AliasInfo* argument = schema.arguments()[j].alias_info();
        if (argument != nullptr && sharesMemory(*argument, *result)) collect(node.operands[j], viewed);
      }
      std::sort(viewed.begin(), viewed.end());
      viewed.erase(std::unique(viewed.begin(), viewed.end()), viewed.end());
      if (viewed.empty() || viewed.size() > kMostOrigins) continue;
      for (const std::optional<Slot> slot : slotsOf(node.outputs[i])) {
        if (slot.has_value()) at(*slot) = viewed;
      }
    }
  }

  void collect(const Operand& operand, Origins& to) {
    if (operand.kind == Operand::Kind::Slot) {
      const Origins& viewed = at(operand.slot);
      to.insert(to.end(), viewed.begin(), viewed.end());
    }
    for (const Operand& item : operand.items) collect(item, to);
  }

  std::vector<Origins> origins_;
  std::vector<bool> written_;
};

}  // namespace

std::vector<bool> writtenInputs(const Graph& graph) { return Writes(graph).take(); }

}  // namespace pt2
