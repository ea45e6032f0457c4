import type { Arg, Graph, NamedArg, Node, OpName, Program } from "../../ir.ts";
import { mapArg, mapGraphs } from "../../query/map-node.ts";
import { definitionsOf, namesOf } from "../../query/node-values.ts";
import { Substitution } from "../substitution.ts";
import { dropUnusedTokens } from "../unused-tokens.ts";
import type { OpSchemas } from "./expand-out-dtype.ts";

/**
 * Replaces `with_effects(token, op, …)` by calls of the op: nodes run in their order, so tokens have no purpose. Ops that
 * are unknown are left.
 */
export async function expandEffects(program: Program, schemas: OpSchemas): Promise<Program> {
  const ops = orderedOps(program.graph);
  if (ops.length === 0) return program;
  await schemas.load(ops);
  return dropUnusedTokens({ ...program, graph: expanded(program.graph, schemas) });
}

function orderedOps({ nodes }: Graph): readonly OpName[] {
  return nodes.flatMap((node) => {
    const called = orderedCall(node)?.op ?? [];
    return [called, ...node.args.map(({ arg }) => (arg.kind === "graph" ? orderedOps(arg.graph) : []))].flat();
  });
}

function expanded(graph: Graph, schemas: OpSchemas): Graph {
  const tokens = new Substitution();
  const nodes = graph.nodes.map((original): Node => {
    const node = mapGraphs(tokens.node(original), (nested) => expanded(nested, schemas));
    const call = orderedCall(node);
    const schema = call && schemas.resolve(call.op)?.schema;
    if (!call || !schema) return node;
    const [token] = node.outputs.slice(0, 1).flatMap(namesOf);
    if (token !== undefined) tokens.set(token, call.token);
    const args = call.operands.map(({ name, arg }, i) => ({ name: name || (schema.args[i]?.name ?? ""), arg }));
    // What an op that returns nothing returns here is None.
    const results = node.outputs.slice(1);
    return { ...node, op: call.op, args, outputs: results.every(({ kind }) => kind === "none") ? [] : results };
  });
  const outputs = graph.outputs.map((output) => mapArg(output, (leaf) => tokens.arg(leaf)));
  const defined = new Set([...graph.inputs, ...nodes.flatMap(definitionsOf)]);
  return { ...graph, nodes, outputs, values: new Map([...graph.values].filter(([name]) => defined.has(name))) };
}

/** A call that is ordered by an effect token: `with_effects(token, op, …)`. */
interface OrderedCall {
  readonly op: OpName;
  readonly token: Arg;
  /** By position. */
  readonly operands: readonly NamedArg[];
}

function orderedCall({ op, args }: Node): OrderedCall | null {
  const [token, called, ...operands] = args;
  if (op !== "higher_order::with_effects" || called?.arg.kind !== "operator") return null;
  return { op: called.arg.op, token: token!.arg, operands };
}
