// Refuses graphs that do not exist and graphs that contain themselves.
#include "plan/compile/nesting.h"

#include <algorithm>
#include <string>
#include <vector>

#include "plan/plan-error.h"

namespace pt2 {
namespace {

using Links = std::vector<std::vector<size_t>>;

std::vector<size_t> linksOf(const GraphSource& graph, size_t count) {
  std::vector<size_t> links;
  for (const NodeSource& node : graph.nodes) {
    for (const NamedArg& arg : node.args) {
      if (arg.arg.kind != ArgSource::Kind::Graph) continue;
      const auto target = static_cast<size_t>(arg.arg.integer);
      if (target >= count) refusePlan("graph " + std::to_string(target) + " does not exist");
      if (node.kind != NodeSource::Kind::Control) refusePlan("`" + node.op + "` cannot take a graph");
      links.push_back(target);
    }
  }
  return links;
}

// Repeatedly removes graphs that no remaining graph refers to: the graphs that are left contain themselves.
bool hasCycle(const Links& links) {
  std::vector<size_t> referrers(links.size(), 0);
  for (const auto& targets : links) {
    for (const size_t target : targets) ++referrers[target];
  }
  std::vector<size_t> free;
  for (size_t i = 0; i < links.size(); ++i) {
    if (referrers[i] == 0) free.push_back(i);
  }
  for (size_t i = 0; i < free.size(); ++i) {
    for (const size_t target : links[free[i]]) {
      if (--referrers[target] == 0) free.push_back(target);
    }
  }
  return free.size() != links.size();
}

}  // namespace

void checkNesting(const PlanSource& plan) {
  if (plan.graphs.empty()) refusePlan("it has no graphs");
  Links links;
  for (const GraphSource& graph : plan.graphs) links.push_back(linksOf(graph, plan.graphs.size()));
  if (hasCycle(links)) refusePlan("a graph refers to itself");
}

}  // namespace pt2
