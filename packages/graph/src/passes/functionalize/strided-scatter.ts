import type { Arg, NamedArg, Node, TensorType } from "../../ir.ts";
import { argOf } from "../../query/node-values.ts";
import type { GraphBuilder } from "../graph-builder.ts";

/** A tensor, and where its elements are in a memory whose first element is at 0. */
export interface Placed {
  /** The value that holds its elements. */
  readonly value: string;
  readonly type: TensorType;
  readonly offset: number;
}

/**
 * Rewrites an as_strided_scatter into a tensor that does not cover its memory in row-major order: what it writes to is
 * the memory, with zeros where the tensor has no elements, of which the result has those where the tensor has them.
 * Returns null where sizes, strides or the offset are unknown.
 */
export function scatterInMemory(node: Node, { value, type, offset }: Placed, builder: GraphBuilder): Node | null {
  const [size, stride] = [numbersOf(argOf(node, "size")), numbersOf(argOf(node, "stride"))];
  const given = argOf(node, "storage_offset") ?? { kind: "none" };
  const start = given.kind === "none" ? offset : given.kind === "int" ? Number(given.value) : null;
  const [shape, strides] = [type.shape, type.strides].map((sizes) =>
    sizes.every(isNumber) ? sizes.map(Number) : null,
  );
  if (!size || !stride || !shape || !strides || start === null) return null;
  const own = { size: shape, stride: strides, start: offset };
  const written = { size, stride, start };
  const length = Math.max(endOf(own), endOf(written));
  const memoryType = { ...type, shape: [length], strides: [1], storageOffset: 0 };
  const emit = (op: Node["op"], args: readonly NamedArg[]): string =>
    builder.emit({ op, args, results: [{ name: `${node.name}_memory`, type: memoryType }], origin: node.origin })[0]!;
  const empty = emit("aten::new_zeros", [named("self", operand(value)), named("size", ints([length]))]);
  const full = emit("aten::as_strided_scatter", [
    named("self", operand(empty)),
    named("src", operand(value)),
    ...placeArgs(own),
  ]);
  const after = emit("aten::as_strided_scatter", [
    named("self", operand(full)),
    named("src", argOf(node, "src")!),
    ...placeArgs(written),
  ]);
  return { ...node, op: "aten::as_strided", args: [named("self", operand(after)), ...placeArgs(own)] };
}

interface Place {
  readonly size: readonly number[];
  readonly stride: readonly number[];
  readonly start: number;
}

function placeArgs({ size, stride, start }: Place): readonly NamedArg[] {
  return [
    named("size", ints(size)),
    named("stride", ints(stride)),
    named("storage_offset", { kind: "int", value: start }),
  ];
}

/** Returns the position after the last element. */
function endOf({ size, stride, start }: Place): number {
  return size.includes(0) ? 0 : size.reduce((last, n, d) => last + (n - 1) * stride[d]!, start) + 1;
}

function numbersOf(arg: Arg | undefined): readonly number[] | null {
  if (arg?.kind !== "list") return null;
  const numbers = arg.items.map((item) => (item.kind === "int" ? Number(item.value) : Number.NaN));
  return numbers.some(Number.isNaN) ? null : numbers;
}

function isNumber(size: unknown): boolean {
  return typeof size !== "object";
}

function ints(values: readonly number[]): Arg {
  return { kind: "list", items: values.map((value) => ({ kind: "int", value })) };
}

function named(name: string, arg: Arg): NamedArg {
  return { name, arg };
}

function operand(name: string): Arg {
  return { kind: "value", name };
}
