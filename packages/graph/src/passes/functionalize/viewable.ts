import type { Node, OpName, TensorType } from "../../ir.ts";
import { isContiguous, sameSizes } from "../../strides.ts";

/** Operators that give a view where the strides allow it and a copy where they do not. */
const RESHAPES: ReadonlySet<OpName> = new Set([
  "aten::reshape",
  "aten::reshape_as",
  "aten::flatten.using_ints",
  "aten::ravel",
]);

/** Operators that give the tensor itself, or a copy. */
const CONVERSIONS = /^aten::(contiguous|type_as|to)(\.|$)/;

/** Whether the aliasing result of a node is a view of its argument. */
export type Aliasing = "view" | "copy" | "unknown";

/** Decides between view and copy from the recorded types. Conversions that change nothing are handled before. */
export function aliasing(node: Node, from: TensorType | undefined, to: TensorType | undefined): Aliasing {
  if (CONVERSIONS.test(node.op)) return "copy";
  if (!RESHAPES.has(node.op)) return "view";
  if (from === undefined || to === undefined) return "unknown";
  if (isContiguous(from) || sameSizes(from.shape, to.shape)) return "view";
  const sizes = [...from.shape, ...from.strides, ...to.shape];
  if (!sizes.every((size) => typeof size === "number")) return "unknown";
  return isViewable(from.shape as number[], from.strides as number[], to.shape as number[]) ? "view" : "copy";
}

/** PyTorch's rule: dimensions may be merged only where their strides chain, `stride[i] = stride[i + 1] · size[i + 1]`. */
function isViewable(shape: readonly number[], strides: readonly number[], wanted: readonly number[]): boolean {
  const dims = shape.map((size, i) => ({ size, stride: strides[i]! })).filter(({ size }) => size !== 1);
  const chunks: number[] = [];
  dims.forEach(({ size, stride }, i) => {
    const before = dims[i - 1];
    if (before !== undefined && before.stride === stride * size) chunks.push(chunks.pop()! * size);
    else chunks.push(size);
  });
  // The new sizes must split the chunks one after the other.
  let at = 0;
  let filled = 1;
  for (const size of wanted.filter((n) => n !== 1)) {
    filled *= size;
    if (chunks[at] === undefined || filled > chunks[at]!) return false;
    if (filled === chunks[at]) {
      at++;
      filled = 1;
    }
  }
  return at === chunks.length;
}
