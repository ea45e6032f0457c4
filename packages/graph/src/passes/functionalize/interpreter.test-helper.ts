import { numel } from "@pt2/format";
import type { Arg, Graph, Node, OpName } from "../../ir.ts";
import type { Strided } from "./strided.test-helper.ts";
import * as t from "./strided.test-helper.ts";

type Value = Strided | number | boolean | null | readonly Value[];
type Args = Readonly<Record<string, Value>>;
type Kernel = (args: Args) => Strided | readonly Strided[];

const tensor = (args: Args, name = "self"): Strided => args[name] as Strided;
const int = (args: Args, name: string, fallback?: number): number =>
  (args[name] as number | null | undefined) ?? fallback!;
const ints = (args: Args, name: string): readonly number[] => args[name] as readonly number[];

function dimOf(args: Args, of: Strided, name = "dim", extra = 0): number {
  const dim = int(args, name, 0);
  return dim < 0 ? dim + of.shape.length + extra : dim;
}

/** f(self, other), elementwise, into new memory. */
function elementwise(f: (a: number, b: number) => number): Kernel {
  return (args) => {
    const self = tensor(args);
    const { other = 0 } = args;
    const b = typeof other === "number" ? numel(self.shape) : 0;
    const right =
      typeof other === "number"
        ? new Array<number>(b).fill(other)
        : t.elements(t.broadcast(other as Strided, self.shape));
    return t.dense(
      self.shape,
      t.elements(self).map((a, i) => f(a, right[i]!)),
    );
  };
}

function reshape(self: Strided, wanted: readonly number[]): Strided {
  const known = numel(wanted.filter((size) => size >= 0));
  const shape = wanted.map((size) => (size < 0 ? numel(self.shape) / known : size));
  return t.viewAs(self, shape) ?? t.dense(shape, t.elements(self));
}

function pieces(self: Strided, dim: number, size: number): readonly Strided[] {
  const count = Math.ceil(self.shape[dim]! / size);
  return Array.from({ length: count }, (_, i) => t.slice(self, dim, i * size, (i + 1) * size, 1));
}

const VIEWS: Readonly<Record<string, Kernel>> = {
  select: (a) => t.select(tensor(a), dimOf(a, tensor(a)), int(a, "index")),
  slice: (a) => t.slice(tensor(a), dimOf(a, tensor(a)), int(a, "start", 0), int(a, "end", 2 ** 40), int(a, "step", 1)),
  diagonal: (a) => t.diagonal(tensor(a)),
  // The functional form may be laid out anyhow: its elements count in row-major order.
  as_strided: (a) => {
    const self = t.isDense(tensor(a)) ? tensor(a) : t.dense(tensor(a).shape, t.elements(tensor(a)));
    return {
      ...self,
      shape: ints(a, "size"),
      strides: ints(a, "stride"),
      offset: int(a, "storage_offset", self.offset),
    };
  },
  detach: (a) => tensor(a),
  alias: (a) => tensor(a),
  view: (a) => reshape(tensor(a), ints(a, "size")),
  reshape: (a) => reshape(tensor(a), ints(a, "shape")),
  reshape_as: (a) => reshape(tensor(a), tensor(a, "other").shape),
  permute: (a) => t.permute(tensor(a), ints(a, "dims")),
  transpose: (a) => {
    const [x, y] = [dimOf(a, tensor(a), "dim0"), dimOf(a, tensor(a), "dim1")];
    const dims = tensor(a).shape.map((_, i) => (i === x ? y : i === y ? x : i));
    return t.permute(tensor(a), dims);
  },
  unsqueeze: (a) => {
    const [self, dim] = [tensor(a), dimOf(a, tensor(a), "dim", 1)];
    return { ...self, shape: self.shape.toSpliced(dim, 0, 1), strides: self.strides.toSpliced(dim, 0, 1) };
  },
  expand: (a) => t.broadcast(tensor(a), ints(a, "size")),
  split: (a) => pieces(tensor(a), dimOf(a, tensor(a)), int(a, "split_size")),
  unbind: (a) =>
    tensor(a)
      .shape.slice(0, 1)
      .flatMap((n) => Array.from({ length: n }, (_, i) => t.select(tensor(a), 0, i))),
};

/** view_scatter(self, src, …): a copy of self with src written to the view. */
function scatter(view: string): Kernel {
  return (args) => {
    const self = t.dense(tensor(args).shape, t.elements(tensor(args)));
    t.assign(VIEWS[view]!({ ...args, self }) as Strided, t.elements(tensor(args, "src")));
    return self;
  };
}

function cat(tensors: readonly Strided[], dim: number): Strided {
  const size = tensors.reduce((n, { shape }) => n + shape[dim]!, 0);
  const out = t.dense(tensors[0]!.shape.with(dim, size), new Array(numel(tensors[0]!.shape.with(dim, size))).fill(0));
  let at = 0;
  for (const part of tensors) {
    t.assign(t.slice(out, dim, at, at + part.shape[dim]!, 1), t.elements(part));
    at += part.shape[dim]!;
  }
  return out;
}

const PURE: Readonly<Record<string, Kernel>> = {
  clone: elementwise((a) => a),
  add: elementwise((a, b) => a + b),
  mul: elementwise((a, b) => a * b),
  zero: elementwise(() => 0),
  fill: (a) => elementwise((_, b) => b)({ ...a, other: a.value! }),
  copy: (a) => elementwise((_, b) => b)({ ...a, other: a.src! }),
  select_scatter: scatter("select"),
  slice_scatter: scatter("slice"),
  diagonal_scatter: scatter("diagonal"),
  as_strided_scatter: scatter("as_strided"),
  cat: (a) => cat(a.tensors as readonly Strided[], int(a, "dim", 0)),
  stack: (a) =>
    cat(
      (a.tensors as readonly Strided[]).map((self) => VIEWS.unsqueeze!({ self, dim: int(a, "dim", 0) }) as Strided),
      int(a, "dim", 0),
    ),
};

function kernelOf(name: OpName): Kernel {
  const op = name.replace(/^aten::(\w+).*$/, "$1");
  const kernel = VIEWS[op] ?? PURE[op];
  if (kernel !== undefined) return kernel;
  const functional = PURE[op.slice(0, -1)]!;
  return (args) => {
    t.assign(tensor(args), t.elements(functional(args) as Strided));
    return tensor(args);
  };
}

/** Runs a graph with PyTorch's aliasing: views share memory, in-place operators write to it. */
export function interpret(graph: Graph, inputs: Readonly<Record<string, Strided>>): readonly Strided[] {
  const values = new Map<string, Value>(Object.entries(inputs));
  const read = (arg: Arg): Value => {
    if (arg.kind === "value") return values.get(arg.name)!;
    if (arg.kind === "list") return arg.items.map(read);
    return arg.kind === "int" || arg.kind === "float" ? Number(arg.value) : null;
  };
  for (const node of graph.nodes) run(node, values, read);
  return graph.outputs.map((output) => read(output) as Strided);
}

/** Runs one node. */
export function run(node: Node, values: Map<string, Value>, read: (arg: Arg) => Value): void {
  const args = Object.fromEntries(node.args.map(({ name, arg }) => [name, read(arg)]));
  const result = kernelOf(node.op)(args);
  const [output] = node.outputs;
  if (output?.kind === "value") values.set(output.name, result);
  else if (output?.kind === "list")
    for (const [i, name] of output.names.entries()) values.set(name, (result as readonly Strided[])[i]!);
}
