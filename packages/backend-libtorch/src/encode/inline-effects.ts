import type { Arg, Graph, Node, OpName, Program } from "@pt2/graph";
import { mapGraphs, Substitution } from "@pt2/graph/passes";
import type { OpSchema } from "@pt2/registry";

const WITH_EFFECTS = "higher_order::with_effects";

/**
 * Replaces `with_effects(token, operator, …)` by a call of the operator: nodes run in their order, so tokens have no
 * purpose. Token inputs and results become None.
 */
export function inlineEffects(program: Program, schemaOf: (op: OpName) => OpSchema | null): Program {
  const tokens = new Substitution();
  for (const spec of program.inputs) if (spec.kind === "token") tokens.set(spec.value, NONE);
  const graph = inlined(program.graph, tokens, schemaOf);
  return graph === program.graph ? program : { ...program, graph };
}

const NONE: Arg = { kind: "none" };

function inlined(graph: Graph, tokens: Substitution, schemaOf: (op: OpName) => OpSchema | null): Graph {
  const nodes = graph.nodes.map((original) => {
    const node = mapGraphs(tokens.node(original), (nested) => inlined(nested, new Substitution(), schemaOf));
    const call = node.op === WITH_EFFECTS ? calledOperator(node, schemaOf) : null;
    if (call === null) return node;
    const [token] = node.outputs;
    if (token?.kind === "value") tokens.set(token.name, NONE);
    return call;
  });
  const outputs = graph.outputs.map((arg) => tokens.arg(arg));
  const same = nodes.every((node, i) => node === graph.nodes[i]) && outputs.every((arg, i) => arg === graph.outputs[i]);
  return same ? graph : { ...graph, nodes, outputs };
}

/** Reads `(token, operator, arguments by position…)`; keyword arguments keep their names. */
function calledOperator(node: Node, schemaOf: (op: OpName) => OpSchema | null): Node | null {
  const [, called, ...rest] = node.args;
  if (called?.arg.kind !== "operator") return null;
  const schema = schemaOf(called.arg.op);
  if (schema === null) return null;
  const args = rest.map(({ name, arg }, i) => ({ name: name === "" ? (schema.args[i]?.name ?? "") : name, arg }));
  // What an op that returns nothing returns here is None.
  return { ...node, op: called.arg.op, args, outputs: schema.returns.length === 0 ? [] : node.outputs.slice(1) };
}
