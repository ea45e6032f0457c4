import type { DType } from "@pt2/format";
import {
  type Arg,
  argOf,
  definitionsOf,
  type Graph,
  type Node,
  type OpName,
  type Program,
  usesOf,
  valuesOf,
} from "@pt2/graph";
import { mapGraphs } from "@pt2/graph/passes";

/** Recurrent layers, with the argument that has their weights. */
const WEIGHTS: ReadonlyMap<OpName, string> = new Map<OpName, string>([
  ["aten::gru.input", "params"],
  ["aten::lstm.input", "params"],
  ["aten::gru_cell", "w_ih"],
  ["aten::lstm_cell", "w_ih"],
]);

/**
 * Puts recurrent layers whose state has a wider dtype than their weights, as expanded regions of autocast leave them, in
 * regions of their own: PyTorch takes such layers nowhere else.
 */
export function withWiderStates(program: Program, device: string): Program {
  const graph = regionsIn(program.graph, device);
  return graph === program.graph ? program : { ...program, graph };
}

function regionsIn(graph: Graph, device: string): Graph {
  const dtypeOf = (arg: Arg | undefined): DType | undefined => {
    const [first] = arg === undefined ? [] : valuesOf(arg);
    const type = first === undefined ? undefined : graph.values.get(first);
    return type?.kind === "tensor" ? type.dtype : undefined;
  };
  const nodes = graph.nodes.map((node) => {
    const weights = WEIGHTS.get(node.op);
    if (weights === undefined) return mapGraphs(node, (nested) => regionsIn(nested, device));
    const lower = dtypeOf(argOf(node, weights));
    const isLower = lower === "bfloat16" || lower === "float16";
    return isLower && dtypeOf(argOf(node, "hx")) === "float32" ? inRegion(node, graph, { device, dtype: lower }) : node;
  });
  return nodes.every((node, i) => node === graph.nodes[i]) ? graph : { ...graph, nodes };
}

function inRegion(node: Node, { values }: Graph, { device, dtype }: { device: string; dtype: DType }): Node {
  const [inputs, results] = [[...new Set(usesOf(node))], definitionsOf(node)];
  const named = (name: string): Arg => ({ kind: "value", name });
  const types = [...inputs, ...results].flatMap((name) => {
    const type = values.get(name);
    return type === undefined ? [] : [[name, type] as const];
  });
  const body: Graph = { inputs, nodes: [node], outputs: results.map(named), values: new Map(types) };
  const args: readonly Arg[] = [
    { kind: "string", value: device },
    { kind: "dtype", value: dtype },
    { kind: "bool", value: true },
    { kind: "bool", value: false },
    { kind: "graph", name: node.name, graph: body },
    ...inputs.map(named),
  ];
  return {
    name: node.name,
    op: "higher_order::wrap_with_autocast",
    args: args.map((arg) => ({ name: "", arg })),
    outputs: results.map((name) => ({ kind: "value", name })),
    origin: node.origin,
  };
}
