import { dense, fixedInputs, intArg, isSameSize, knownShape, numberOf, textArg } from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName, type Program, type TensorType } from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import type { OptimizeTarget } from "./target.ts";

const KINDS: ReadonlyMap<OpName, string> = new Map<OpName, string>([
  ["aten::gru.input", "gru"],
  ["aten::lstm.input", "lstm"],
  ["aten::rnn_tanh.input", "rnn_tanh"],
  ["aten::rnn_relu.input", "rnn_relu"],
]);

/** The most features of a state: the weights of larger ones should be read by all threads. */
export const MOST_HIDDEN = 256;

/**
 * Lowers recurrent networks of few features with fixed weights to this package's kernel, which makes the steps of a layer
 * in one loop; PyTorch calls several ops for each. Only for sequences in one tensor, and without dropout.
 */
export function lowerRecurrent(program: Program, target: OptimizeTarget): Program {
  const { graph } = program;
  const isCandidate = ({ op }: Node): boolean => KINDS.has(op) && !target.isClaimed(op);
  if (!target.has("pt2::recurrent") || !graph.nodes.some(isCandidate)) return program;
  const builder = new GraphBuilder(graph);
  const fixed = new Set(fixedInputs(program));
  const tensor = (arg: Arg | undefined): TensorType | undefined => {
    const type = arg?.kind === "value" ? builder.typeOf(arg.name) : undefined;
    return type?.kind === "tensor" ? type : undefined;
  };
  const lowered = (node: Node): Node => {
    const found = isCandidate(node) ? read(node, tensor, (name) => fixed.has(name)) : null;
    if (found === null) return node;
    const pack = (weight: Arg): Arg => {
      const type = dense(tensor(weight), tensor(weight)?.shape)!;
      const results = [{ name: "pack_linear_weight", type }];
      const args = [{ name: "weight", arg: weight }];
      const [name] = builder.emit({ op: "pt2::pack_linear_weight", args, results, origin: node.origin });
      return { kind: "value", name: name! };
    };
    const weights = found.weights.map((weight) => (tensor(weight)?.shape.length === 2 ? pack(weight) : weight));
    const list = (items: readonly Arg[]): Arg => ({ kind: "list", items });
    const args = {
      x: argOf(node, "input")!,
      hx: list(found.states),
      weights: list(weights),
      kind: textArg(KINDS.get(node.op)!),
      hidden: intArg(found.hidden),
      biased: argOf(node, "has_biases")!,
      batch_first: argOf(node, "batch_first")!,
      bidirectional: argOf(node, "bidirectional")!,
    };
    const { op, name, origin } = node;
    return {
      ...node,
      op: "pt2::recurrent",
      args: Object.entries(args).map(([key, arg]) => ({ name: key, arg })),
      origin: { ...origin, joined: origin.joined ?? [{ op, name }] },
    };
  };
  for (const node of graph.nodes) builder.push(lowered(node));
  return { ...program, graph: builder.build(graph.outputs) };
}

interface Recurrent {
  readonly states: readonly Arg[];
  readonly weights: readonly Arg[];
  readonly hidden: number;
}

/** Reads a node; null where it is none that the kernel computes. */
function read(
  node: Node,
  tensor: (arg: Arg | undefined) => TensorType | undefined,
  isFixed: (name: string) => boolean,
): Recurrent | null {
  const flag = (name: string): boolean | undefined => {
    const arg = argOf(node, name);
    return arg?.kind === "bool" ? arg.value : undefined;
  };
  const [hx, params, layers] = [argOf(node, "hx"), argOf(node, "params"), numberOf(argOf(node, "num_layers"))];
  const states = hx?.kind === "list" ? hx.items : hx === undefined ? [] : [hx];
  const weights = params?.kind === "list" ? params.items : [];
  const directions = flag("bidirectional") ? 2 : 1;
  const [input, first] = [tensor(argOf(node, "input")), knownShape(tensor(weights[1]))];
  const hidden = first?.[1] ?? Number.NaN;
  const [biased, ordered] = [flag("has_biases"), flag("batch_first")];
  if (input?.dtype !== "float32" || input.shape.length !== 3 || biased === undefined || ordered === undefined)
    return null;
  if (flag("bidirectional") === undefined || (flag("train") !== false && numberOf(argOf(node, "dropout")) !== 0))
    return null;
  // A network with projections has a fifth weight for each layer.
  if (layers === undefined || weights.length !== layers * directions * (biased ? 4 : 2) || !(hidden <= MOST_HIDDEN))
    return null;
  if (states.some((state) => tensor(state)?.dtype !== "float32" || tensor(state)?.shape.length !== 3)) return null;
  // PyTorch would repeat a state of one row for several sequences.
  const rows = input.shape[ordered ? 0 : 1];
  if (states.some((state) => !isSameSize(tensor(state)?.shape[1], rows))) return null;
  const isWeight = (arg: Arg): boolean =>
    arg.kind === "value" &&
    isFixed(arg.name) &&
    tensor(arg)?.dtype === "float32" &&
    knownShape(tensor(arg)) !== undefined;
  return weights.every(isWeight) ? { states, weights, hidden } : null;
}
