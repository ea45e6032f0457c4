import { viewAs } from "@pt2/backend";
import { readTensor, type WeightTensor } from "@pt2/format";
import type { Node, Program } from "@pt2/graph";
import type { HandlerTensor, OpRegistry } from "@pt2/registry";

/** Values of weights that nodes with handlers take, by node and argument name. */
export type HandlerInitials = ReadonlyMap<Node, ReadonlyMap<string, HandlerTensor>>;

/** Reads the weights that handlers with a `compile` function may look at, and no others. */
export async function readHandlerInitials(
  { graph, inputs }: Program,
  weights: ReadonlyMap<string, WeightTensor>,
  registry: OpRegistry,
  signal?: AbortSignal,
): Promise<HandlerInitials> {
  const targets = new Map<string, string>();
  for (const spec of inputs) if ("target" in spec) targets.set(spec.value, spec.target);
  const initials = new Map<Node, ReadonlyMap<string, HandlerTensor>>();
  for (const node of graph.nodes) {
    if (registry.handlerOf(node.op)?.compile === undefined) continue;
    const values = new Map<string, HandlerTensor>();
    for (const { name, arg } of node.args) {
      const target = arg.kind === "value" ? targets.get(arg.name) : undefined;
      const weight = target === undefined ? undefined : weights.get(target);
      if (weight === undefined) continue;
      const { dtype, shape, bytes } = await readTensor(weight, signal);
      values.set(name, { dtype, shape, data: viewAs(dtype, bytes) });
    }
    initials.set(node, values);
  }
  return initials;
}
