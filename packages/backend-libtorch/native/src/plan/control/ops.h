// The higher-order ops, each with the operands that PyTorch gives it.
#pragma once

#include "plan/control/control.h"

namespace pt2 {

// (predicate, graph, graph, [operands])
std::unique_ptr<Control> makeCond(ControlArgs args);
// (condition, body, [carried], [additional])
std::unique_ptr<Control> makeWhileLoop(ControlArgs args);
// The operands are those of while_loop; the results are those of each iteration, stacked.
std::unique_ptr<Control> makeWhileLoopStackOutput(ControlArgs args);
// (body, [sequences], [additional])
std::unique_ptr<Control> makeMap(ControlArgs args);
// (body, [carried], [sequences], [additional])
std::unique_ptr<Control> makeScan(ControlArgs args);
// (combine, [sequences], [additional])
std::unique_ptr<Control> makeAssociativeScan(ControlArgs args);
// (…, graph, operands…), where operands may come as a list
std::unique_ptr<Control> makeCallGraph(ControlArgs args);
// (device type, dtype, enabled, cache enabled, graph, operands…)
std::unique_ptr<Control> makeAutocast(ControlArgs args);
// (op, name=argument…); runs the op on clones of the arguments that it writes to
std::unique_ptr<Control> makeAutoFunctionalized(ControlArgs args);
std::unique_ptr<Control> makeAutoFunctionalizedV2(ControlArgs args);
// (token, op, arguments…)
std::unique_ptr<Control> makeWithEffects(ControlArgs args);
// (op, dtype, operands…)
std::unique_ptr<Control> makeOutDtype(ControlArgs args);

}  // namespace pt2
