import type { Arg, Graph, Node } from "../ir.ts";

/** A nested graph that can take the place of its node. */
export interface Inlinable {
  readonly graph: Graph;
  /** The operands of the graph's inputs. */
  readonly operands: readonly Arg[];
}

/** Wrappers that affect gradients, caching or speed, and not the result. */
const TRANSPARENT =
  /^higher_order::(wrap|wrap_with_set_grad_enabled|invoke_subgraph|strict_mode|(wrap|tag)_activation_checkpoint|hints_wrapper|run_const_graph)$/;

/**
 * Returns the graph of a node that only wraps it; null where the wrapper matters. Enabled autocast changes numerics.
 */
export function inlinable(node: Node): Inlinable | null {
  const at = node.args.findIndex(({ arg }) => arg.kind === "graph");
  const nested = node.args[at]?.arg;
  if (nested?.kind !== "graph") return null;
  if (!TRANSPARENT.test(node.op) && !isDisabledAutocast(node, at)) return null;
  const operands = node.args
    .slice(at + 1)
    .flatMap(({ arg }) => (arg.kind === "list" ? arg.items : [arg]))
    // invoke_subgraph and checkpoints have an identifier, others hints.
    .filter(({ kind }) => kind !== "string" && kind !== "dict");
  const fits = operands.length === nested.graph.inputs.length && node.outputs.length === nested.graph.outputs.length;
  return fits ? { graph: nested.graph, operands } : null;
}

/** The arguments are (device type, dtype, enabled, cache enabled, graph, operands…). */
function isDisabledAutocast(node: Node, graphAt: number): boolean {
  if (node.op !== "higher_order::wrap_with_autocast") return false;
  const enabled = node.args.slice(0, graphAt).find(({ arg }) => arg.kind === "bool")?.arg;
  return enabled?.kind === "bool" && !enabled.value;
}
