import { definitionsOf, type Graph, type Node, type Output, usesOf } from "@pt2/graph";
import { builderOf } from "../builder.ts";
import type { OpRecord } from "../op.ts";
import type { OpRegistry } from "../op-registry.ts";
import { registryError } from "../registry-errors.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describe, type Environment } from "./arguments.ts";
import type { Call } from "./call.ts";
import { Emitter, SHAPES_ONLY } from "./emit.ts";
import { callArgs } from "./ir-args.ts";
import { tensorsIn } from "./lowered-tensor.ts";
import { resultsOf } from "./results.ts";

/** What a decomposition consists of. */
export interface Decomposition {
  readonly calls: readonly Pick<Call, "record" | "args" | "results">[];
  /** The results of the op, which are tensors of the calls or of its arguments. */
  readonly results: readonly ArgValue[];
}

/**
 * Runs the `decompose` rule of an op whose result sizes depend on data; null where it does not apply. A call of another
 * such op has the largest possible results here.
 */
export function decompositionOf(
  record: OpRecord,
  args: Call["args"],
  node: Node,
  registry: OpRegistry,
): Decomposition | null {
  const calls: Decomposition["calls"][number][] = [];
  const trial = new Emitter(registry, SHAPES_ONLY);
  const builder = builderOf((op, given) => {
    const results = trial.emit(op, given, node);
    const called = registry.resolve(op)!;
    if (called.dynamic !== undefined) requireTensors(results, called.name, node);
    calls.push({ record: called, args: given, results });
    return results;
  });
  const answer = record.decompose!(args, builder) as ArgValue | null;
  return answer === null ? null : { calls, results: resultsOf(record, answer) };
}

/**
 * Returns the calls of such a decomposition as nodes that stand for `node` in its graph: calls whose result sizes depend
 * on data are graph breaks, and only nodes of a graph can be. Null where the rule does not apply.
 */
export function inlineDecomposition(
  node: Node,
  record: OpRecord,
  args: Call["args"],
  { graph, env, registry }: { readonly graph: Graph; readonly env: Environment; readonly registry: OpRegistry },
): readonly Node[] | null {
  const decomposition = decompositionOf(record, args, node, registry);
  if (decomposition === null) return null;
  const names = new Map<ArgValue, string>();
  for (const name of usesOf(node)) for (const tensor of tensorsIn(env.get(name))) names.set(tensor, name);
  const values = {
    knows: (value: ArgValue) => names.has(value),
    nameOf: (tensor: TensorMeta) => names.get(tensor)!,
  };
  const taken = new Set([...graph.inputs, ...graph.nodes.flatMap(definitionsOf)]);
  const fresh = (): string => {
    let name = `${node.name}.${taken.size}`;
    while (taken.has(name)) name += "'";
    taken.add(name);
    return name;
  };
  const bind = (tensor: ArgValue): string => {
    const name = fresh();
    names.set(tensor, name);
    return name;
  };
  const { origin } = node;
  const nodes = decomposition.calls.map(({ record: called, args: given, results }): Node => {
    const inputs = callArgs(called.schema, given, values);
    const outputs = results.map((result): Output => {
      if (Array.isArray(result)) return { kind: "list", names: (result as readonly ArgValue[]).map(bind) };
      return isTensorMeta(result) ? { kind: "value", name: bind(result) } : { kind: "none" };
    });
    return { name: fresh(), op: called.name, args: inputs, outputs, origin };
  });
  const give = (result: ArgValue, name: string): void => {
    const arg = { kind: "value", name: names.get(result)! } as const;
    const outputs = [{ kind: "value", name } as const];
    nodes.push({ name, op: "aten::alias", args: [{ name: "self", arg }], outputs, origin });
  };
  for (const [i, output] of node.outputs.entries()) {
    const result = decomposition.results[i]!;
    if (output.kind === "value") give(result, output.name);
    if (output.kind !== "list") continue;
    for (const [k, name] of output.names.entries()) give((result as readonly ArgValue[])[k]!, name);
  }
  return nodes;
}

/** A rule could only look at a number that it does not have yet. */
function requireTensors(results: readonly ArgValue[], op: string, node: Node): void {
  if (results.flat().every((result) => isTensorMeta(result as ArgValue))) return;
  throw registryError("registry.rule", {
    what: `The \`decompose\` rule of ${node.op} calls ${op}, whose result is a number that only a run knows`,
    where: describe(node),
    advice: "call ops on tensors: `masked_select` in place of `item` and `slice`",
    details: { op: node.op },
  });
}
