import { dense, fixedInputs, given, intArg, isSameSize, knownShape, textArg } from "@pt2/engine/rewrites";
import { type Arg, argOf, type NamedArg, type Node, type OpName, type Program, type TensorType } from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import { MOST_HIDDEN } from "./lower-recurrent.ts";
import type { OptimizeTarget } from "./target.ts";

const KINDS: ReadonlyMap<OpName, string> = new Map<OpName, string>([
  ["aten::gru_cell", "gru"],
  ["aten::lstm_cell", "lstm"],
  ["aten::rnn_tanh_cell", "rnn_tanh"],
  ["aten::rnn_relu_cell", "rnn_relu"],
]);

/** Lowers a single step of a recurrent network to this package's kernel, as a sequence of one step. */
export function lowerRecurrentCells(program: Program, target: OptimizeTarget): Program {
  const { graph } = program;
  const isCandidate = ({ op }: Node): boolean => KINDS.has(op) && !target.isClaimed(op);
  if (!target.has("pt2::recurrent") || !graph.nodes.some(isCandidate)) return program;
  const builder = new GraphBuilder(graph);
  const fixed = new Set(fixedInputs(program));
  for (const node of graph.nodes) {
    const cell = isCandidate(node) ? read(node, builder, fixed) : null;
    if (cell === null) builder.push(node);
    else lower(node, cell, builder);
  }
  return { ...program, graph: builder.build(graph.outputs) };
}

interface Cell {
  readonly input: Arg;
  readonly states: readonly Arg[];
  readonly matrices: readonly Arg[];
  readonly biases: readonly Arg[];
  readonly hidden: number;
}

function lower(node: Node, { input, states, matrices, biases, hidden }: Cell, builder: GraphBuilder): void {
  const { op, name, origin } = node;
  const emit = (
    made: OpName,
    args: Readonly<Record<string, Arg>>,
    types: readonly (TensorType | undefined)[],
  ): Arg[] => {
    const named: NamedArg[] = Object.entries(args).map(([key, arg]) => ({ name: key, arg }));
    const results = types.map((type) => ({ name: made.slice(made.indexOf("::") + 2), type }));
    return builder.emit({ op: made, args: named, results, origin }).map((value) => ({ kind: "value", name: value }));
  };
  const row = (arg: Arg): Arg => {
    const type = tensorOf(arg, builder);
    return emit("aten::unsqueeze", { self: arg, dim: intArg(0) }, [dense(type, [1, ...type!.shape])])[0]!;
  };
  const pack = (weight: Arg): Arg => {
    const type = tensorOf(weight, builder);
    return emit("pt2::pack_linear_weight", { weight }, [dense(type, type?.shape)])[0]!;
  };
  const off: Arg = { kind: "bool", value: false };
  const given = states.map(row);
  const types = [0, ...given.keys()].map((i) => tensorOf(given[i], builder));
  const args = {
    x: row(input),
    hx: { kind: "list", items: given },
    weights: { kind: "list", items: [...matrices.map(pack), ...biases] },
    kind: textArg(KINDS.get(op)!),
    hidden: intArg(hidden),
    biased: { kind: "bool", value: biases.length > 0 },
    batch_first: off,
    bidirectional: off,
  } as const;
  const [, ...after] = emit("pt2::recurrent", args, types);
  node.outputs.forEach((output, i) => {
    if (output.kind !== "value") return;
    const squeezed = { self: after[i]!, dim: intArg(0) };
    builder.push({
      name: output.name,
      op: "aten::squeeze.dim",
      args: Object.entries(squeezed).map(([key, arg]) => ({ name: key, arg })),
      outputs: [output],
      origin: { ...origin, joined: origin.joined ?? [{ op, name }] },
    });
  });
}

function tensorOf(arg: Arg | undefined, builder: GraphBuilder): TensorType | undefined {
  const type = arg?.kind === "value" ? builder.typeOf(arg.name) : undefined;
  return type?.kind === "tensor" ? type : undefined;
}

/** Reads a node; null where it is none that the kernel computes. */
function read(node: Node, builder: GraphBuilder, fixed: ReadonlySet<string>): Cell | null {
  const [input, hx] = [argOf(node, "input"), argOf(node, "hx")];
  const states = hx?.kind === "list" ? hx.items : hx === undefined ? [] : [hx];
  const matrices = ["w_ih", "w_hh"].flatMap((name) => argOf(node, name) ?? []);
  const biases = ["b_ih", "b_hh"].flatMap((name) => given(node, name) ?? []);
  const hidden = knownShape(tensorOf(matrices[1], builder))?.[1] ?? Number.NaN;
  const isMatrix = (arg: Arg): boolean => {
    const type = tensorOf(arg, builder);
    return type?.dtype === "float32" && type.shape.length === 2;
  };
  const isWeight = (arg: Arg): boolean =>
    arg.kind === "value" && fixed.has(arg.name) && tensorOf(arg, builder)?.dtype === "float32";
  if (input === undefined || ![input, ...states, ...matrices].every(isMatrix) || !(hidden <= MOST_HIDDEN)) return null;
  // PyTorch would repeat a state of one row for several inputs.
  if (states.some((state) => !isSameSize(tensorOf(state, builder)?.shape[0], tensorOf(input, builder)?.shape[0])))
    return null;
  if (matrices.length !== 2 || biases.length === 1 || ![...matrices, ...biases].every(isWeight)) return null;
  return { input, states, matrices, biases, hidden };
}
