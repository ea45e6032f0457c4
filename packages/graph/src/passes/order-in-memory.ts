import type { TensorType } from "../ir.ts";
import { ofNonEmpty, sameSizes, timesSize } from "../strides.ts";
import type { SymInt } from "../sym/sym-expr.ts";

/**
 * Returns the dimensions of a tensor as they lie in memory, the innermost last; null where its elements do not provably lie
 * side by side.
 */
export function orderInMemory({ shape, strides }: TensorType): readonly number[] | null {
  const left = shape.map((_, d) => d);
  const order: number[] = [];
  for (let next: SymInt = 1; left.length > 0; ) {
    // Strides of dimensions of size 1 are arbitrary.
    const at: number = left.findLastIndex((d) => shape[d] === 1 || sameSizes([ofNonEmpty(strides[d]!)], [next]));
    if (at < 0) return null;
    const [d] = left.splice(at, 1) as [number];
    order.unshift(d);
    next = shape[d] === 1 ? next : timesSize(next, shape[d]!);
  }
  return order;
}
