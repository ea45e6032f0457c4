import { numel } from "@pt2/format";
import type { RandomBelow } from "@pt2/testing/random";
import type { Arg, Graph, NamedArg, Node, ValueType } from "../../ir.ts";
import { run } from "./interpreter.test-helper.ts";
import { isDense, type Strided } from "./strided.test-helper.ts";

const int = (value: number): Arg => ({ kind: "int", value });
const ints = (values: readonly number[]): Arg => ({ kind: "list", items: values.map(int) });
const value = (name: string): Arg => ({ kind: "value", name });

/** A call on the tensor `self`: its operator and other arguments; null where it does not apply. */
type Maker = (self: Strided, random: RandomBelow) => readonly [op: string, args: Readonly<Record<string, Arg>>] | null;

const withDim = (self: Strided, random: RandomBelow, make: (dim: number) => ReturnType<Maker>): ReturnType<Maker> =>
  self.shape.length === 0 ? null : make(random(self.shape.length));

const VIEWS: readonly Maker[] = [
  (x, r) => withDim(x, r, (dim) => ["select.int", { dim: int(dim), index: int(r(x.shape[dim]!)) }]),
  (x, r) =>
    withDim(x, r, (dim) => [
      "slice.Tensor",
      { dim: int(dim - x.shape.length), start: int(r(2)), end: int(9), step: int(1 + r(2)) },
    ]),
  (x, r) => withDim(x, r, (dim) => ["transpose.int", { dim0: int(dim), dim1: int(-1) }]),
  (x) => ["permute", { dims: ints(x.shape.map((_, i) => (i + 1) % x.shape.length)) }],
  (x, r) => ["unsqueeze", { dim: int(r(x.shape.length + 1)) }],
  (x) => (x.shape.length === 2 ? ["diagonal", {}] : null),
  (x) => ["reshape", { shape: ints([numel(x.shape)]) }],
  (x, r) => withDim(x, r, (dim) => ["split.Tensor", { split_size: int(1), dim: int(dim) }]),
  (x) => (x.shape.length > 1 ? ["unbind.int", {}] : null),
  (x) =>
    x.offset === 0 && x.shape.length === 2 && x.data.length > 5 && isDense(x)
      ? ["as_strided", { size: ints([2, 2]), stride: ints([2, 1]), storage_offset: int(1) }]
      : null,
  () => ["detach", {}],
];

const WRITES: readonly Maker[] = [
  (_, r) => ["add_.Tensor", { other: int(1 + r(9)) }],
  (_, r) => ["mul_.Tensor", { other: int(2 + r(3)) }],
  (_, r) => ["fill_.Scalar", { value: int(r(99)) }],
  () => ["zero_", {}],
];

const PURE: readonly Maker[] = [() => ["clone", {}], (_, r) => ["add.Tensor", { other: int(r(5)) }]];

/** A graph of views, writes and copies of two inputs, with every tensor among its results. */
export function randomGraph(random: RandomBelow, inputs: Readonly<Record<string, Strided>>, length: number): Graph {
  const tensors = new Map<string, Strided>(Object.entries(inputs));
  const nodes: Node[] = [];
  const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
  while (nodes.length < length) {
    const [name, self] = pick([...tensors]);
    const kind = random(10);
    const call = pick(kind < 5 ? VIEWS : kind < 9 ? WRITES : PURE)(self, random);
    if (call === null || self.shape.some((size) => size === 0)) continue;
    const node = nodeOf(nodes.length, name, self, call);
    const results = new Map<string, Strided>([[name, self]]);
    run(node, results as Map<string, Strided>, (arg) => (arg.kind === "value" ? self : literal(arg)));
    nodes.push(node);
    for (const [result, tensor] of results) tensors.set(result, tensor);
  }
  const values = new Map([...tensors].map(([name, tensor]) => [name, typeOf(tensor)] as const));
  return { inputs: Object.keys(inputs), nodes, outputs: [...tensors.keys()].map(value), values };
}

function nodeOf(index: number, name: string, self: Strided, [op, args]: NonNullable<ReturnType<Maker>>): Node {
  const base = `v${index}`;
  const named: NamedArg[] = [
    { name: "self", arg: value(name) },
    ...Object.entries(args).map(([key, arg]) => ({ name: key, arg })),
  ];
  const dim = args.dim?.kind === "int" ? Number(args.dim.value) : 0;
  const list = /^(split|unbind)/.test(op);
  const names = Array.from({ length: self.shape[dim] ?? 0 }, (_, i) => `${base}_${i}`);
  return {
    name: base,
    op: `aten::${op}`,
    args: named,
    outputs: [list ? { kind: "list", names } : { kind: "value", name: base }],
    origin: {},
  };
}

function literal(arg: Arg): number | readonly number[] | null {
  if (arg.kind === "list") return arg.items.map((item) => literal(item) as number);
  return arg.kind === "int" ? Number(arg.value) : null;
}

function typeOf({ shape, strides, offset }: Strided): ValueType {
  const device = { type: "cpu", index: null };
  return { kind: "tensor", dtype: "float32", shape, strides, storageOffset: offset, device, requiresGrad: false };
}
