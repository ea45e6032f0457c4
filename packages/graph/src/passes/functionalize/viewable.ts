import type { Node, OpName, TensorType } from "../../ir.ts";
import { isContiguous, sameSizes } from "../../strides.ts";
import { type Bindings, evaluateSize } from "../../sym/evaluate.ts";
import type { SymInt } from "../../sym/expr.ts";
import { symbolsOf } from "../../sym/make.ts";

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
  const [typical, least] = [TYPICAL, () => 1].map((symbol) => viewableWhere(symbol, from, to));
  if (typical === undefined || typical !== least) return "unknown";
  return typical ? "view" : "copy";
}

/**
 * Sizes that nothing else equals by chance, with many divisors. What is a view with these is one with all sizes, as
 * strides chain by what they are made of; what is a copy with these may be a view where sizes are 1.
 */
const TYPICAL = (symbol: number): number => 720 * (7 + 2 * symbol);

/** Whether the reshape is a view where symbols have these sizes; undefined where they cannot have them. */
function viewableWhere(size: (symbol: number) => number, from: TensorType, to: TensorType): boolean | undefined {
  const lists = [from.shape, from.strides, to.shape];
  const symbols = new Set(lists.flat().flatMap((value) => [...symbolsOf(value)]));
  const bindings = new Map([...symbols].map((symbol, i) => [symbol, size(i)]));
  const [shape, strides, wanted] = lists.map((values) => sizesWhere(values, bindings));
  if (shape === undefined || strides === undefined || wanted === undefined) return undefined;
  return count(shape) === count(wanted) ? isViewable(shape, strides, wanted) : undefined;
}

function sizesWhere(values: readonly SymInt[], bindings: Bindings): readonly number[] | undefined {
  try {
    return values.map((value) => evaluateSize(value, bindings));
  } catch {
    // Here some size is negative, or divides by zero.
    return undefined;
  }
}

function count(shape: readonly number[]): number {
  return shape.reduce((n, size) => n * size, 1);
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
