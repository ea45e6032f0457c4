import type { Graph, OpName } from "../ir.ts";
import { splitOpName } from "../op-name.ts";
import { argOf } from "../query/node-values.ts";
import { someNode } from "../query/walk-graph.ts";

/**
 * Returns whether PyTorch's naming says that an operator writes to an argument: `relu_`, `__iadd__`, `add.out`. The
 * registry's schemas are exact; this is for passes that must not depend on them.
 */
export function isMutatingName(name: OpName): boolean {
  const { namespace, op, overload } = splitOpName(name);
  if (namespace === "_operator" || namespace === "higher_order") return false;
  return /[^_]_$|^__i\w+__$/.test(op) || /(^|_)out$/.test(overload);
}

/** Returns whether no node of the graph, or of nested ones, writes to a tensor in place. */
export function isFunctional(graph: Graph): boolean {
  return !someNode(graph, (node) => {
    const training = argOf(node, "training") ?? argOf(node, "use_input_stats");
    const updates = training?.kind === "bool" && training.value && argOf(node, "running_mean")?.kind === "value";
    return updates || isMutatingName(node.op);
  });
}
