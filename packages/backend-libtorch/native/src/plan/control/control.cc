// Lists the higher-order ops that are known, and how many graphs each takes.
#include "plan/control/control.h"

#include <unordered_map>
#include <unordered_set>

#include "plan/control/ops.h"

namespace pt2 {
namespace {

const std::unordered_map<std::string, ControlFactory> kControls = {
    {"higher_order::cond", makeCond},
    {"higher_order::while_loop", makeWhileLoop},
    {"higher_order::while_loop_stack_output", makeWhileLoopStackOutput},
    {"higher_order::map_impl", makeMap},
    {"higher_order::map", makeMap},
    {"higher_order::scan", makeScan},
    {"higher_order::associative_scan", makeAssociativeScan},
    {"higher_order::invoke_subgraph", makeCallGraph},
    {"higher_order::run_const_graph", makeCallGraph},
    {"higher_order::wrap", makeCallGraph},
    {"higher_order::strict_mode", makeCallGraph},
    {"higher_order::hints_wrapper", makeCallGraph},
    {"higher_order::wrap_with_set_grad_enabled", makeCallGraph},
    {"higher_order::wrap_with_autocast", makeAutocast},
    {"higher_order::wrap_activation_checkpoint", makeCallGraph},
    {"higher_order::tag_activation_checkpoint", makeCallGraph},
    {"higher_order::auto_functionalized", makeAutoFunctionalized},
    {"higher_order::auto_functionalized_v2", makeAutoFunctionalizedV2},
    {"higher_order::with_effects", makeWithEffects},
    {"higher_order::out_dtype", makeOutDtype},
};

const std::unordered_set<std::string> kWithoutGraph = {
    "higher_order::auto_functionalized",
    "higher_order::auto_functionalized_v2",
    "higher_order::with_effects",
    "higher_order::out_dtype",
};

const std::unordered_set<std::string> kWithTwo = {
    "higher_order::cond",
    "higher_order::while_loop",
    "higher_order::while_loop_stack_output",
};

}  // namespace

ControlFactory findControl(const std::string& op) {
  const auto found = kControls.find(op);
  return found == kControls.end() ? nullptr : found->second;
}

size_t leastGraphs(const std::string& op) {
  if (kWithoutGraph.count(op) != 0) return 0;
  return kWithTwo.count(op) != 0 ? 2 : 1;
}

}  // namespace pt2
