import { normalDim } from "@pt2/format";
import type { Arg, NamedArg, Node, OpName, TensorType } from "../../ir.ts";
import { argOf } from "../../query/node-values.ts";
import type { ViewInverse } from "./effects.ts";

/** What a rule needs to write through one view. */
export interface WriteContext {
  /** The viewing node. */
  readonly node: Node;
  /** The name of the argument that it views. */
  readonly arg: string;
  /** Position of the view among all that the node gives. */
  readonly position: number;
  /** The current content of what is viewed. */
  readonly parent: string;
  readonly parentType: TensorType | undefined;
  readonly viewType: TensorType | undefined;
  /** Position of the view in the list that the node returns. */
  readonly item: number | null;
  /** Appends a node of which the result has the parent's type, or the one that is given. */
  emit(op: OpName, args: readonly NamedArg[], type?: TensorType): string;
  /** Appends an integer operation. */
  emitInt(op: OpName, args: readonly NamedArg[]): Arg;
  /** All the views that the node makes of the current parent. */
  pieces(): readonly string[];
}

/** The parent's content once `update` is written to the view; null where that cannot be said. */
export type WriteRule = (context: WriteContext, update: string) => string | null;

function value(name: string): Arg {
  return { kind: "value", name };
}

function named(name: string, arg: Arg): NamedArg {
  return { name, arg };
}

function copied(node: Node, ...names: readonly string[]): readonly NamedArg[] {
  return node.args.filter(({ name }) => names.includes(name));
}

/** view(x, …): write reshape back to the shape of x. */
const reshaped: WriteRule = ({ emit, parent }, update) =>
  emit("aten::reshape_as", [named("self", value(update)), named("other", value(parent))]);

/** view(x, …): write undo(update, …) */
function undone(op: OpName): WriteRule {
  return ({ emit, node }, update) => emit(op, [named("self", value(update)), ...node.args.slice(1)]);
}

/** view(x, …): write scatter(x, update, …) */
function scattered(op: OpName): WriteRule {
  return ({ emit, node, arg, position, parent }, update) => {
    const which: readonly NamedArg[] = position === 0 ? [] : [named("view", { kind: "int", value: position })];
    const rest = node.args.filter(({ name }) => name !== arg);
    return emit(op, [named(arg, value(parent)), named("src", value(update)), ...rest, ...which]);
  };
}

/** permute(x, dims): write permute(update, inverse dims) */
const permuted: WriteRule = ({ emit, node }, update) => {
  const dims = argOf(node, "dims");
  if (dims?.kind !== "list") return null;
  const rank = dims.items.length;
  const inverse: Arg[] = new Array<Arg>(rank);
  for (const [to, item] of dims.items.entries()) {
    if (item.kind !== "int") return null;
    inverse[normalDim(Number(item.value), rank)] = { kind: "int", value: to };
  }
  return emit("aten::permute", [named("self", value(update)), named("dims", { kind: "list", items: inverse })]);
};

/** movedim(x, source, destination): write movedim(update, destination, source) */
const moved: WriteRule = ({ emit, node }, update) => {
  const [source, destination] = [argOf(node, "source"), argOf(node, "destination")];
  if (source === undefined || destination === undefined) return null;
  return emit(node.op, [named("self", value(update)), named("source", destination), named("destination", source)]);
};

/** narrow(x, dim, start, length) is slice(x, dim, start, start + length). */
const narrowed: WriteRule = ({ emit, emitInt, node, parent }, update) => {
  const [start, length] = [argOf(node, "start"), argOf(node, "length")];
  if (start === undefined || length === undefined) return null;
  let end: Arg;
  if (start.kind === "int" && length.kind === "int") {
    const sum = BigInt(start.value) + BigInt(length.value);
    // A negative start counts from the end, where 0 would mean the beginning.
    end = start.value < 0 && sum === 0n ? { kind: "none" } : { kind: "int", value: Number(sum) };
  } else if (start.kind === "int" && start.value < 0) return null;
  else end = emitInt("_operator::add", [named("a", start), named("b", length)]);
  const bounds = [...copied(node, "dim", "start"), named("end", end), named("step", { kind: "int", value: 1 })];
  return emit("aten::slice_scatter", [named("self", value(parent)), named("src", value(update)), ...bounds]);
};

/** Pieces side by side: put the new one among the others. */
function joined(op: OpName, dim: (context: WriteContext) => Arg | undefined): WriteRule {
  return (context, update) => {
    const items = context.pieces().map((piece, i) => value(i === context.item ? update : piece));
    const at = dim(context);
    return context.emit(op, [
      named("tensors", { kind: "list", items }),
      ...(at === undefined ? [] : [named("dim", at)]),
    ]);
  };
}

/** real(x): write complex(update, imag(x)); imag(x) the other way round. Of a real tensor `real` is the tensor itself. */
function part(written: "real" | "imag", other: OpName): WriteRule {
  return ({ emit, parent, parentType, viewType }, update) => {
    if (parentType?.dtype === viewType?.dtype) return update;
    const rest = emit(other, [named("self", value(parent))], viewType);
    const [real, imag] = written === "real" ? [update, rest] : [rest, update];
    return emit("aten::complex", [named("real", value(real)), named("imag", value(imag))]);
  };
}

/** view(x, dtype): the same bytes. */
const reinterpreted: WriteRule = ({ emit, parentType }, update) =>
  parentType === undefined
    ? null
    : emit("aten::view.dtype", [
        named("self", value(update)),
        named("dtype", { kind: "dtype", value: parentType.dtype }),
      ]);

/** The dimension along which pieces are joined. */
function dimOfPieces(dim: number | "columns" | undefined): (context: WriteContext) => Arg | undefined {
  if (dim === undefined) return ({ node }) => argOf(node, "dim");
  return ({ parentType }) => ({
    kind: "int",
    value: dim === "columns" ? (parentType?.shape.length === 1 ? 0 : 1) : dim,
  });
}

const RULES: { readonly [Kind in Extract<ViewInverse, string>]: WriteRule } = {
  reshape: reshaped,
  same: (_, update) => update,
  permute: permuted,
  move: moved,
  narrow: narrowed,
  dtype: reinterpreted,
};

/** How to write through a view that has this inverse. */
export function writeRule(inverse: ViewInverse): WriteRule {
  if (typeof inverse === "string") return RULES[inverse];
  if ("undo" in inverse) return undone(inverse.undo);
  if ("scatter" in inverse) return scattered(inverse.scatter);
  if ("join" in inverse) return joined(inverse.join, dimOfPieces(inverse.dim));
  return part(inverse.part, inverse.other);
}
