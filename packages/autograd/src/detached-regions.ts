import { type Arg, argOf, definitionsOf, type Graph, type Node, usesOf } from "@pt2/graph";
import { type EffectsOf, GraphBuilder, mapGraphs, mapValues, Substitution } from "@pt2/graph/passes";

export const DETACH = "aten::detach";
const DETACH_IN_PLACE = "aten::detach_";
const NO_GRAD = "higher_order::wrap_with_set_grad_enabled";

/**
 * Detaches what regions without gradients are called with, and what is detached in place. So a region neither reads nor
 * writes with gradients; what it only writes to, and returns, stays the tensor that it was.
 */
export function withDetachedRegions(graph: Graph, effectsOf: EffectsOf): Graph {
  const builder = new GraphBuilder(graph);
  const replaced = new Substitution();
  const detached = (name: string, { origin }: Node): Arg => {
    const arg: Arg = { kind: "value", name };
    const type = builder.typeOf(name);
    if (type?.kind !== "tensor") return arg;
    const [made] = builder.emit({
      op: DETACH,
      args: [{ name: "self", arg }],
      results: [{ name, type }],
      origin,
    });
    return { kind: "value", name: made! };
  };
  for (const original of graph.nodes) {
    const node = mapGraphs(replaced.node(original), (nested) => withDetachedRegions(nested, effectsOf));
    if (isNoGrad(node)) {
      builder.push(mapValues(node, (name) => detached(name, node)));
      for (const [result, operand] of writtenOperands(node, effectsOf)) replaced.set(result, operand);
      continue;
    }
    builder.push(node);
    if (node.op !== DETACH_IN_PLACE) continue;
    for (const name of [...usesOf(node), ...definitionsOf(node)]) {
      replaced.set(name, detached(name, node));
    }
  }
  return builder.build(graph.outputs.map((arg) => replaced.arg(arg)));
}

/** Returns the results of a region that are operands, after calls which write to them in place, with these. */
function writtenOperands(node: Node, effectsOf: EffectsOf): ReadonlyMap<string, Arg> {
  const at = node.args.findIndex(({ arg }) => arg.kind === "graph");
  const region = node.args[at]?.arg;
  if (region?.kind !== "graph") return new Map();
  const operands = node.args.slice(at + 1).flatMap(({ arg }) => (arg.kind === "list" ? arg.items : [arg]));
  const same = new Map<string, Arg>();
  for (const [i, input] of region.graph.inputs.entries()) {
    if (input !== null && operands[i] !== undefined) same.set(input, operands[i]);
  }
  for (const inner of region.graph.nodes) {
    const { mutates, aliases } = effectsOf(inner.op) ?? { mutates: [], aliases: [] };
    for (const { output, arg } of aliases) {
      const [made, given] = [inner.outputs[output], argOf(inner, arg)];
      if (!mutates.includes(arg) || made?.kind !== "value" || given?.kind !== "value") continue;
      const operand = same.get(given.name);
      if (operand !== undefined) same.set(made.name, operand);
    }
  }
  const results = node.outputs.flatMap((output, i): readonly (readonly [string, Arg])[] => {
    const inner = region.graph.outputs[i];
    const operand = inner?.kind === "value" ? same.get(inner.name) : undefined;
    return output.kind === "value" && operand !== undefined ? [[output.name, operand]] : [];
  });
  return new Map(results);
}

function isNoGrad(node: Node): boolean {
  if (node.op !== NO_GRAD) return false;
  const enabled: Arg | undefined = argOf(node, "enabled") ?? node.args[0]?.arg;
  return enabled?.kind === "bool" && !enabled.value;
}
