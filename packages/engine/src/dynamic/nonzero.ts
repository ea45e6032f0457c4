import { numel, viewAs } from "@pt2/backend";
import { DTYPES } from "@pt2/format";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";
import { int64Tensor } from "./bytes.ts";
import { isTruthy } from "./elements.ts";

/** `nonzero(self)`: the index of each element that is not zero, [count, rank]. */
export const nonzero: DynamicKernel = dynamicKernel(["aten::nonzero", "aten::argwhere"], ({ self }) => {
  const found = positions(self);
  const { shape } = self;
  const rank = shape.length;
  if (rank === 1) return [int64Tensor([found.length, 1], found)];
  const rows = new Int32Array(found.length * rank);
  // From the last dimension on, what is left of a position is divided by each size.
  const rest = found.slice();
  for (let d = rank - 1; d > 0; d--) {
    const size = shape[d]!;
    for (let i = 0, at = d; i < rest.length; i++, at += rank) {
      const position = rest[i]!;
      const quotient = Math.floor(position / size);
      rows[at] = position - quotient * size;
      rest[i] = quotient;
    }
  }
  if (rank > 0) for (let i = 0, at = 0; i < rest.length; i++, at += rank) rows[at] = rest[i]!;
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
  const { dtype, bytes } = tensor;
  const { kind, itemsize } = DTYPES[dtype];
  const found = new Int32Array(numel(tensor.shape));
  let count = 0;
  if (kind === "complex" || (kind === "float" && itemsize < 4)) count = anyPositions(tensor, found);
  else if (kind !== "float" && itemsize === 8) count = longPositions(viewAs("int32", bytes) as Int32Array, found);
  else count = numberPositions(viewAs(dtype, bytes) as Float32Array, found);
  return found.slice(0, count);
}

/** Writes the positions of numbers that are not zero, and gives how many there are. */
function numberPositions(array: Float32Array | Float64Array | Int32Array | Uint8Array, found: Int32Array): number {
  let next = 0;
  for (let i = 0; i < found.length; i++) {
    // Without a branch, which would be guessed wrong often.
    found[next] = i;
    next += Number(array[i] !== 0);
  }
  return next;
}

/** The same of integers of two words each. */
function longPositions(words: Int32Array, found: Int32Array): number {
  let next = 0;
  for (let i = 0; i < found.length; i++) {
    found[next] = i;
    next += Number((words[2 * i]! | words[2 * i + 1]!) !== 0);
  }
  return next;
}

/** The same of elements of any dtype. */
function anyPositions(tensor: HostData, found: Int32Array): number {
  const truthy = isTruthy(tensor);
  let next = 0;
  for (let i = 0; i < found.length; i++) {
    found[next] = i;
    next += Number(truthy(i));
  }
  return next;
}

/** Returns the indices in dimension `d` of the elements at row-major positions. */
export function indicesIn(shape: readonly number[], d: number, flat: Int32Array): Int32Array {
  if (shape.length === 1) return flat;
  const [size, stride] = [shape[d]!, numel(shape.slice(d + 1))];
  const indices = new Int32Array(flat.length);
  for (let i = 0; i < flat.length; i++) indices[i] = Math.floor(flat[i]! / stride) % size;
  return indices;
}
