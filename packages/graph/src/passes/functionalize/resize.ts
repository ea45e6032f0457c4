import type { Arg, Node, OpName, TensorType } from "../../ir.ts";
import { argOf, definitionsOf } from "../../query/args.ts";
import { contiguousStrides } from "../../strides.ts";

/** Operators that give a tensor another size in place, and the argument that says which. */
export const RESIZES: ReadonlyMap<OpName, string> = new Map([
  ["aten::resize_", "size"],
  ["aten::resize_as_", "the_template"],
]);

/**
 * A resize that needs no more memory, as the view that it is: the first elements, dense and in order. Null where more
 * is needed, whose content PyTorch leaves open, or where sizes are not known.
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
