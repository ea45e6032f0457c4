import type { Arg, Graph, NamedArg, Node, OpName, Output, Program, TensorType } from "../../ir.ts";
import { mapGraphs } from "../../query/map-node.ts";
import { argOf } from "../../query/node-values.ts";
import { GraphBuilder } from "../graph-builder.ts";
import type { EffectsOf } from "./effects.ts";

/** Names what a user's op writes to, where the program does not. */
export interface OpEffectsOnDemand {
  load(ops: readonly OpName[]): Promise<void>;
  readonly effectsOf: EffectsOf;
}

const WRAPPERS = /^higher_order::auto_functionalized(_v2)?$/;

/**
 * Expands `auto_functionalized(op, …)` and `auto_functionalized_v2(op, …)`, which `run_decompositions()` makes of users' ops
 * that write to arguments, as PyTorch does: what they write to is copied first, and the copies are what they return
 * beside their own results. What the first one writes to only the op's schema says; it is left where that is unknown.
 */
export async function expandAutoFunctionalized(program: Program, registry: OpEffectsOnDemand): Promise<Program> {
  const ops = wrapped(program.graph);
  if (ops.length === 0) return program;
  await registry.load(ops);
  return { ...program, graph: expanded(program.graph, registry.effectsOf) };
}

function wrapped({ nodes }: Graph): readonly OpName[] {
  return nodes.flatMap((node) =>
    node.args.flatMap(({ arg }, i) => {
      if (arg.kind === "graph") return wrapped(arg.graph);
      return i === 0 && arg.kind === "operator" && WRAPPERS.test(node.op) ? [arg.op] : [];
    }),
  );
}

function expanded(graph: Graph, effectsOf: EffectsOf): Graph {
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) {
    const made = WRAPPERS.test(node.op) && expandNode(node, builder, effectsOf);
    if (!made) builder.push(mapGraphs(node, (nested) => expanded(nested, effectsOf)));
  }
  return builder.build(graph.outputs);
}

function expandNode(node: Node, builder: GraphBuilder, effectsOf: EffectsOf): boolean {
  const [called, ...given] = node.args;
  if (called?.arg.kind !== "operator") return false;
  const { op } = called.arg;
  const bases = argOf(node, "_all_bases");
  const args =
    bases?.kind === "list"
      ? viewsOfCopies(given, copies(node, bases.items, builder), node, builder)
      : writtenCopies(given, effectsOf(op)?.mutates, node, builder);
  if (args === null) return false;
  const results = node.outputs.slice(0, node.outputs.length - args.copied);
  const outputs = results.every(({ kind }) => kind === "none") ? [] : results;
  builder.push({ ...node, op, args: args.args, outputs });
  return true;
}

interface Arguments {
  readonly args: readonly NamedArg[];
  /** How many of the node's last results are copies. */
  readonly copied: number;
}

/** Copies tensors under the names of the node's last results. */
function copies(node: Node, items: readonly Arg[], builder: GraphBuilder): readonly Arg[] {
  const results = node.outputs.slice(node.outputs.length - items.length);
  return items.map((item, i) => copyOf(item, results[i], node, builder));
}

function copyOf(item: Arg, result: Output | undefined, node: Node, builder: GraphBuilder): Arg {
  if (item.kind !== "value") return item;
  const name = result?.kind === "value" ? result.name : builder.fresh(`${node.name}_copy`);
  const type = builder.typeOf(item.name);
  if (type?.kind === "tensor") builder.setType(name, { ...type, storageOffset: 0 });
  const args = [{ name: "self", arg: item }];
  builder.push({ name, op: "aten::clone", args, outputs: [{ kind: "value", name }], origin: node.origin });
  return { kind: "value", name };
}

/** The arguments of the first form: those that the op writes to become copies. */
function writtenCopies(
  given: readonly NamedArg[],
  mutates: readonly string[] | undefined,
  node: Node,
  builder: GraphBuilder,
): Arguments | null {
  if (mutates === undefined) return null;
  const leavesOf = (arg: Arg): readonly Arg[] => (arg.kind === "list" ? arg.items : [arg]);
  const written = given.filter(({ name }) => mutates.includes(name));
  const all = mutates.flatMap((name) => leavesOf(written.find((each) => each.name === name)?.arg ?? { kind: "none" }));
  const made = new Map(all.map((leaf, i) => [leaf, i] as const));
  const copied = copies(node, all, builder);
  const copyFor = (leaf: Arg): Arg => copied[made.get(leaf)!]!;
  const args = given.map(({ name, arg }): NamedArg => {
    if (!mutates.includes(name)) return { name, arg };
    return { name, arg: arg.kind === "list" ? { ...arg, items: arg.items.map(copyFor) } : copyFor(arg) };
  });
  return { args, copied: all.length };
}

/**
 * The arguments of the second form, which says of each that is written which view of which copy it is: `_x_base_index`, and
 * what the view takes; of a list `_x_length`, and the same of each item.
 */
function viewsOfCopies(
  given: readonly NamedArg[],
  copied: readonly Arg[],
  node: Node,
  builder: GraphBuilder,
): Arguments {
  const byName = new Map(given.map(({ name, arg }) => [name, arg]));
  const view = (prefix: string): Arg => viewOf(prefix, byName, copied, node, builder);
  const args: NamedArg[] = given.filter(
    ({ name }) =>
      !/^_(all_bases$|.+_(base_index|length|alias|size|stride|storage_offset|slice_(dim|start|end))$)/.test(name),
  );
  const lists = given.flatMap(({ name, arg }) => {
    const list = /^_(.+)_length$/.exec(name)?.[1];
    return list !== undefined && arg.kind === "int" ? [{ name: list, length: Number(arg.value) }] : [];
  });
  const items = new Set<string>();
  for (const { name, length } of lists) {
    const prefixes = Array.from({ length }, (_, i) => `${name}_${i}`);
    for (const prefix of prefixes) items.add(prefix);
    args.push({ name, arg: { kind: "list", items: prefixes.map(view) } });
  }
  for (const { name } of given) {
    const single = /^_(.+)_base_index$/.exec(name)?.[1];
    if (single !== undefined && !items.has(single)) args.push({ name: single, arg: view(single) });
  }
  return { args, copied: copied.length };
}

function viewOf(
  prefix: string,
  given: ReadonlyMap<string, Arg>,
  copied: readonly Arg[],
  node: Node,
  builder: GraphBuilder,
): Arg {
  const of = (name: string): Arg | undefined => given.get(`_${prefix}_${name}`);
  const index = of("base_index");
  const self = index?.kind === "int" ? copied[Number(index.value)] : undefined;
  if (self?.kind !== "value") return { kind: "none" };
  const base = builder.typeOf(self.name);
  const make = ({ op, names, type }: ViewCall): Arg => {
    const args = Object.entries(names).map(([name, given]): NamedArg => ({ name, arg: of(given) ?? { kind: "none" } }));
    const results = [{ name: `${node.name}_view`, type }];
    const [name] = builder.emit({ op, args: [{ name: "self", arg: self }, ...args], results, origin: node.origin });
    return { kind: "value", name: name! };
  };
  if (of("size") !== undefined) {
    const type = strided(base, of("size"), of("stride"), of("storage_offset"));
    const names = { size: "size", stride: "stride", storage_offset: "storage_offset" };
    return make({ op: "aten::as_strided", names, type });
  }
  if (of("slice_dim") === undefined) return self;
  const type = sliced(base, of("slice_dim"), of("slice_start"), of("slice_end"));
  const names = { dim: "slice_dim", start: "slice_start", end: "slice_end" };
  return make({ op: "aten::slice.Tensor", names, type });
}

interface ViewCall {
  readonly op: OpName;
  /** What the arguments are called in the node, by their names. */
  readonly names: Readonly<Record<string, string>>;
  readonly type: TensorType | undefined;
}

type Tensor = ReturnType<GraphBuilder["typeOf"]>;

function numbersOf(arg: Arg | undefined): readonly number[] | null {
  const items = arg?.kind === "list" ? arg.items : arg === undefined ? [] : [arg];
  const numbers = items.flatMap((item) => (item.kind === "int" ? [Number(item.value)] : []));
  return numbers.length === items.length ? numbers : null;
}

/** The type of a view where all its numbers are known. */
function strided(base: Tensor, size?: Arg, stride?: Arg, offset?: Arg): TensorType | undefined {
  const [shape, strides, start] = [numbersOf(size), numbersOf(stride), numbersOf(offset)];
  if (base?.kind !== "tensor" || shape === null || strides === null || start === null) return undefined;
  return { ...base, shape, strides, storageOffset: start[0] ?? 0 };
}

function sliced(base: Tensor, dim?: Arg, start?: Arg, end?: Arg): TensorType | undefined {
  const [d, from, to] = [dim, start, end].map((arg) => numbersOf(arg)?.[0]);
  if (base?.kind !== "tensor" || d === undefined || from === undefined || to === undefined) return undefined;
  const [size, stride] = [base.shape[d], base.strides[d]];
  if (typeof size !== "number" || typeof stride !== "number") return undefined;
  const begin = Math.min(from, size);
  const shape = base.shape.with(d, Math.max(0, Math.min(to, size) - begin));
  return { ...base, shape, storageOffset: begin * stride };
}
