import { type Arg, argOf, type Graph, type Node, type Program, stats } from "@pt2/graph";
import {
  canonicalizeStridedViews,
  eliminateDeadCode,
  foldSymbolicArithmetic,
  GraphBuilder,
  hasRegions,
  looksBehindViews,
  mapGraphs,
  mutates,
  removeNoOps,
  Substitution,
} from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";

const DETACH = "aten::detach";
const NO_GRAD = "higher_order::wrap_with_set_grad_enabled";

/** Makes a program functional, as `load` does, but keeps where gradients are cut off: `detach` and `no_grad`. */
export async function prepareForGrad(program: Program, registry: OpRegistry): Promise<Program> {
  const isClaimed = (op: string): boolean => op === DETACH || registry.isClaimed(op);
  const expanded = await withoutRegions({ ...program, graph: withDetachedRegions(program.graph) });
  const simple = removeNoOps(canonicalizeStridedViews(expanded, isClaimed), { isClaimed });
  await registry.load(stats(simple.graph).map(({ op }) => op));
  const functional = await functionalized(simple, registry);
  return eliminateDeadCode(foldSymbolicArithmetic(functional), {
    isPure: ({ op }) => {
      const record = registry.resolve(op);
      if (record === undefined || record.impure === true || record.schema.returns.length === 0) return false;
      return registry.effectsOf(op)?.mutates.length === 0;
    },
  });
}

async function withoutRegions(program: Program): Promise<Program> {
  if (!hasRegions(program.graph)) return program;
  const { expandAutocast, expandVmap } = await import("@pt2/graph/functionalize");
  return expandVmap(expandAutocast(program));
}

async function functionalized(program: Program, registry: OpRegistry): Promise<Program> {
  const { effectsOf } = registry;
  if (!mutates(program.graph, effectsOf) && !looksBehindViews(program.graph)) return program;
  const { functionalize } = await import("@pt2/graph/functionalize");
  const made = functionalize(program, effectsOf);
  await registry.load(stats(made.graph).map(({ op }) => op));
  return made;
}

/** Detaches the results of regions without gradients. */
function withDetachedRegions(graph: Graph): Graph {
  const builder = new GraphBuilder(graph);
  const replaced = new Substitution();
  for (const original of graph.nodes) {
    const node = mapGraphs(replaced.node(original), withDetachedRegions);
    builder.push(node);
    if (!isNoGrad(node)) continue;
    for (const output of node.outputs) {
      const names = output.kind === "list" ? output.names : output.kind === "value" ? [output.name] : [];
      for (const name of names) {
        const type = builder.typeOf(name);
        if (type?.kind !== "tensor") continue;
        const args = [{ name: "self", arg: { kind: "value", name } as const }];
        const [detached] = builder.emit({ op: DETACH, args, results: [{ name, type }], origin: node.origin });
        replaced.set(name, { kind: "value", name: detached! });
      }
    }
  }
  return builder.build(graph.outputs.map((arg) => replaced.arg(arg)));
}

function isNoGrad(node: Node): boolean {
  if (node.op !== NO_GRAD) return false;
  const enabled: Arg | undefined = argOf(node, "enabled") ?? node.args[0]?.arg;
  return enabled?.kind === "bool" && !enabled.value;
}
