import type { Arg, Node, OpName, TensorType } from "../../ir.ts";
import { argOf, definitionsOf } from "../../query/node-values.ts";
import { contiguousStrides } from "../../strides.ts";

/** In-place operators that resize a tensor, with the argument that determines the size. */
export const RESIZES: ReadonlyMap<OpName, string> = new Map([
  ["aten::resize_", "size"],
  ["aten::resize_as_", "the_template"],
]);

/**
 * Converts a resize that needs no more memory to a view: the first elements, dense and in order. Returns null where it
 * needs more memory, which PyTorch leaves uninitialized, or where sizes are unknown.
 */
export function resizeAsView(node: Node, typeOf: (name: string) => TensorType | null): Node | null {
  const [self] = node.args;
  const [result] = definitionsOf(node);
  const format = argOf(node, "memory_format");
  const dense =
    format === undefined || format.kind === "none" || (format.kind === "memory_format" && DENSE.has(format.value));
  if (self?.arg.kind !== "value" || result === undefined || !dense) return null;
  const old = typeOf(self.arg.name);
  const shape = typeOf(result)?.shape;
  const [had, wants] = [count(old?.shape), count(shape)];
  if (shape === undefined || had === null || wants === null || wants > had) return null;
  const ints = (values: readonly unknown[]): Arg => ({
    kind: "list",
    items: values.map((value) => ({ kind: "int", value: Number(value) })),
  });
  return {
    ...node,
    op: "aten::as_strided",
    args: [
      { name: "self", arg: self.arg },
      { name: "size", arg: ints(shape) },
      { name: "stride", arg: ints(contiguousStrides(shape)) },
    ],
  };
}

const DENSE: ReadonlySet<string> = new Set(["contiguous", "preserve", "contiguous_format", "preserve_format"]);

function count(shape: TensorType["shape"] | undefined): number | null {
  if (shape === undefined || shape.some((size) => typeof size !== "number")) return null;
  return shape.reduce<number>((n, size) => n * Number(size), 1);
}
