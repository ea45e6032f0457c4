import type { Arg, NamedArg, Node, OpName, TensorType } from "../../ir.ts";
import { argOf } from "../../query/node-values.ts";

/** What a rule needs to write through one view. */
export interface WriteContext {
  /** The viewing node. */
  readonly node: Node;
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

/** The same elements in row-major order: reshape back. */
const reshaped: WriteRule = ({ emit, parent }, update) =>
  emit("aten::reshape_as", [named("self", value(update)), named("other", value(parent))]);

const same: WriteRule = (_, update) => update;

/** An operation that undoes itself, called with the same arguments. */
function involution(op: OpName): WriteRule {
  return ({ emit, node }, update) => emit(op, [named("self", value(update)), ...node.args.slice(1)]);
}

/** view: op(x, …); write: op_scatter(x, update, …) */
function scattered(op: OpName, ...names: readonly string[]): WriteRule {
  return ({ emit, node, parent }, update) =>
    emit(op, [named("self", value(parent)), named("src", value(update)), ...copied(node, ...names)]);
}

/** permute(x, dims): write permute(update, inverse dims) */
const permuted: WriteRule = ({ emit, node }, update) => {
  const dims = argOf(node, "dims");
  if (dims?.kind !== "list") return null;
  const rank = dims.items.length;
  const inverse: Arg[] = new Array<Arg>(rank);
  for (const [to, item] of dims.items.entries()) {
    if (item.kind !== "int") return null;
    const from = Number(item.value);
    inverse[from < 0 ? from + rank : from] = { kind: "int", value: to };
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

const split = joined("aten::cat", ({ node }) => argOf(node, "dim"));
const splitAt = (at: number): WriteRule => joined("aten::cat", () => ({ kind: "int", value: at }));

/** hsplit divides columns, or the elements of a vector. */
const hsplit = joined("aten::cat", ({ parentType }) => ({
  kind: "int",
  value: parentType?.shape.length === 1 ? 0 : 1,
}));

/** real(x): write complex(update, imag(x)); imag(x) the other way round. Of a real tensor `real` is the tensor itself. */
function part(other: OpName, update: "real" | "imag", kept: "real" | "imag"): WriteRule {
  return ({ emit, parent, parentType, viewType }, written) => {
    if (parentType?.dtype === viewType?.dtype) return written;
    const rest = emit(other, [named("self", value(parent))], viewType);
    const parts = { [update]: value(written), [kept]: value(rest) } as Record<"real" | "imag", Arg>;
    return emit("aten::complex", [named("real", parts.real), named("imag", parts.imag)]);
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

function rules(rule: WriteRule, ...ops: readonly string[]): readonly (readonly [OpName, WriteRule])[] {
  return ops.map((op) => [`aten::${op}`, rule]);
}

/** How to write through a view, by the operator that makes it. Others are written to the memory itself. */
export const VIEW_WRITES: ReadonlyMap<OpName, WriteRule> = new Map([
  ...rules(reshaped, "view", "reshape", "view_as", "reshape_as", "flatten.using_ints", "unflatten.int", "ravel"),
  ...rules(reshaped, "squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", "_unsafe_view"),
  ...rules(reshaped, "atleast_1d", "atleast_2d", "atleast_3d", "cartesian_prod", "flatten_dense_tensors"),
  ...rules(reshaped, "atleast_1d.Sequence", "atleast_2d.Sequence", "atleast_3d.Sequence"),
  ...rules(involution("aten::transpose.int"), "transpose.int"),
  ...rules(involution("aten::swapaxes"), "swapaxes"),
  ...rules(involution("aten::swapdims"), "swapdims"),
  ...rules(involution("aten::t"), "t"),
  ...rules(involution("aten::numpy_T"), "numpy_T"),
  ...rules(involution("aten::mT"), "mT"),
  ...rules(involution("aten::_conj"), "_conj"),
  ...rules(involution("aten::conj"), "conj"),
  ...rules(involution("aten::adjoint"), "adjoint"),
  ...rules(involution("aten::mH"), "mH"),
  ...rules(involution("aten::matrix_H"), "matrix_H"),
  ...rules(involution("aten::_neg_view"), "_neg_view"),
  ...rules(part("aten::imag", "real", "imag"), "real"),
  ...rules(part("aten::real", "imag", "real"), "imag"),
  ...rules(same, "resolve_conj", "resolve_neg"),
  ...rules(involution("aten::view_as_complex"), "view_as_real"),
  ...rules(involution("aten::view_as_real"), "view_as_complex"),
  ...rules(permuted, "permute"),
  ...rules(moved, "movedim.int", "movedim.intlist", "moveaxis.int", "moveaxis.intlist"),
  ...rules(scattered("aten::select_scatter", "dim", "index"), "select.int"),
  ...rules(scattered("aten::slice_scatter", "dim", "start", "end", "step"), "slice.Tensor"),
  ...rules(scattered("aten::diagonal_scatter", "offset", "dim1", "dim2"), "diagonal"),
  ...rules(scattered("aten::as_strided_scatter", "size", "stride", "storage_offset"), "as_strided"),
  ...rules(narrowed, "narrow"),
  ...rules(split, "split.Tensor", "split.sizes", "split_with_sizes", "chunk"),
  ...rules(split, "unsafe_split.Tensor", "unsafe_split_with_sizes", "unsafe_chunk"),
  ...rules(split, "tensor_split.sections", "tensor_split.indices"),
  ...rules(hsplit, "hsplit.int", "hsplit.array"),
  ...rules(splitAt(0), "vsplit.int", "vsplit.array"),
  ...rules(splitAt(2), "dsplit.int", "dsplit.array"),
  ...rules(
    joined("aten::stack", ({ node }) => argOf(node, "dim")),
    "unbind.int",
  ),
  ...rules(reinterpreted, "view.dtype"),
]);
