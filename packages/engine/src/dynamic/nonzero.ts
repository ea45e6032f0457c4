import { numel } from "@pt2/backend";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";
import { int64Tensor } from "./bytes.ts";
import { isTruthy } from "./elements.ts";

/** `nonzero(self)`: the index of each element that is not zero, [count, rank]. */
export const nonzero: DynamicKernel = dynamicKernel(["aten::nonzero", "aten::argwhere"], ({ self }) => {
  const found = positions(self);
  const { shape } = self;
  const rank = shape.length;
  const rows = new Int32Array(found.length * rank);
  for (let d = 0; d < rank; d++) {
    const indices = indicesIn(shape, d, found);
    for (let i = 0; i < found.length; i++) rows[i * rank + d] = indices[i]!;
  }
  return [int64Tensor([found.length, rank], rows)];
});

/** `where(condition)` and `nonzero_numpy(self)`: one index tensor per dimension; a number is a list of one. */
export const where: DynamicKernel = dynamicKernel(["aten::where", "aten::nonzero_numpy"], ({ condition, self }) => {
  const mask = (condition ?? self)!;
  const found = positions(mask);
  const shape = mask.shape.length === 0 ? [1] : mask.shape;
  return [shape.map((_, d) => int64Tensor([found.length], indicesIn(shape, d, found)))];
});

/** Row-major positions of the elements that are not zero. */
export function positions(tensor: HostData): Int32Array {
  const truthy = isTruthy(tensor);
  const count = tensor.shape.reduce((n, size) => n * size, 1);
  const found = new Int32Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    // Without a branch, which would be guessed wrong often.
    found[next] = i;
    next += Number(truthy(i));
  }
  return found.slice(0, next);
}

/** Returns the indices in dimension `d` of the elements at row-major positions. */
export function indicesIn(shape: readonly number[], d: number, flat: Int32Array): Int32Array {
  if (shape.length === 1) return flat;
  const [size, stride] = [shape[d]!, numel(shape.slice(d + 1))];
  const indices = new Int32Array(flat.length);
  for (let i = 0; i < flat.length; i++) indices[i] = Math.floor(flat[i]! / stride) % size;
  return indices;
}
