import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";
import { isTruthy } from "./elements.ts";

/** `nonzero(self)`: the index of each element that is not zero, [count, rank]. */
export const nonzero: DynamicKernel = dynamicKernel(["aten::nonzero", "aten::argwhere"], ({ self }) => {
  const found = positions(self);
  const { shape } = self;
  const out = new BigInt64Array(found.length * shape.length);
  found.forEach((flat, row) => {
    unravel(flat, shape, (d, index) => {
      out[row * shape.length + d] = BigInt(index);
    });
  });
  return [int64([found.length, shape.length], out)];
});

/** `where(condition)` and `nonzero_numpy(self)`: one index tensor per dimension; a number is a list of one. */
export const where: DynamicKernel = dynamicKernel(["aten::where", "aten::nonzero_numpy"], ({ condition, self }) => {
  const mask = (condition ?? self)!;
  const found = positions(mask);
  const shape = mask.shape.length === 0 ? [1] : mask.shape;
  const columns = shape.map(() => new BigInt64Array(found.length));
  found.forEach((flat, row) => {
    unravel(flat, shape, (d, index) => {
      columns[d]![row] = BigInt(index);
    });
  });
  return [columns.map((column) => int64([found.length], column))];
});

/** Row-major positions of the elements that are not zero. */
export function positions(tensor: HostData): readonly number[] {
  const truthy = isTruthy(tensor);
  const count = tensor.shape.reduce((n, size) => n * size, 1);
  const found: number[] = [];
  for (let i = 0; i < count; i++) if (truthy(i)) found.push(i);
  return found;
}

/** An int64 tensor. */
function int64(shape: readonly number[], values: BigInt64Array): HostData {
  return { dtype: "int64", shape, bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) };
}

function unravel(flat: number, shape: readonly number[], visit: (dim: number, index: number) => void): void {
  let rest = flat;
  for (let d = shape.length - 1; d >= 0; d--) {
    visit(d, rest % shape[d]!);
    rest = Math.floor(rest / shape[d]!);
  }
}
