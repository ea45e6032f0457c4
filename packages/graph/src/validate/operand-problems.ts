import type { Arg, Node } from "../ir.ts";
import { splitOpName } from "../op-name.ts";
import { graphsOf } from "../query/node-values.ts";

/** Checks the operands of one kind of higher-order node; returns the problems. */
type Check = (node: Node) => readonly string[];

/** Calling conventions of the higher-order operators that take graphs. */
const CHECKS: Readonly<Record<string, Check>> = {
  cond: (node) => {
    const operands = lists(node).flat().length;
    return graphsOf(node).flatMap(({ name, graph }) => [
      ...equal(`inputs of \`${name}\``, graph.inputs.length, "operands", operands),
      ...equal(`results of \`${name}\``, graph.outputs.length, "results", node.outputs.length),
    ]);
  },
  while_loop: (node) => {
    const [carried = [], additional = []] = lists(node);
    const [condition, body] = graphsOf(node);
    const operands = carried.length + additional.length;
    return [
      ...equal("inputs of the condition", condition?.graph.inputs.length, "operands", operands),
      ...equal("inputs of the body", body?.graph.inputs.length, "operands", operands),
      ...equal("results of the condition", condition?.graph.outputs.length, "wanted", 1),
      ...equal("results of the body", body?.graph.outputs.length, "carried values", carried.length),
      ...equal("results", node.outputs.length, "carried values", carried.length),
    ];
  },
  scan: (node) => {
    const [init = [], xs = [], additional = []] = lists(node);
    const [combine] = graphsOf(node);
    const operands = init.length + xs.length + additional.length;
    return [
      ...equal("inputs of the body", combine?.graph.inputs.length, "operands", operands),
      ...equal("results of the body", combine?.graph.outputs.length, "results", node.outputs.length),
    ];
  },
  map_impl: (node) => {
    const [body] = graphsOf(node);
    return [
      ...equal("inputs of the body", body?.graph.inputs.length, "operands", lists(node).flat().length),
      ...equal("results of the body", body?.graph.outputs.length, "results", node.outputs.length),
    ];
  },
  wrap_with_set_grad_enabled: spread,
  wrap_with_autocast: spread,
};

/** Returns problems with the operands of a node; none for operators without a known convention. */
export function operandProblems(node: Node): readonly string[] {
  const { namespace, op } = splitOpName(node.op);
  const check = namespace === "higher_order" && Object.hasOwn(CHECKS, op) ? CHECKS[op] : undefined;
  return check === undefined ? [] : check(node);
}

/** The convention of a graph followed by one argument per operand. */
function spread(node: Node): readonly string[] {
  const [nested] = graphsOf(node);
  const at = node.args.findIndex(({ arg }) => arg.kind === "graph");
  return [
    ...equal("inputs of the graph", nested?.graph.inputs.length, "operands", node.args.length - at - 1),
    ...equal("results of the graph", nested?.graph.outputs.length, "results", node.outputs.length),
  ];
}

function lists(node: Node): readonly (readonly Arg[])[] {
  return node.args.flatMap(({ arg }) => (arg.kind === "list" ? [arg.items] : []));
}

function equal(what: string, count: number | undefined, other: string, wanted: number): readonly string[] {
  return count === wanted ? [] : [`${what}: ${count ?? "none"}, ${other}: ${wanted}`];
}
