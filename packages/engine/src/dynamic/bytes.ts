import { DTYPES } from "@pt2/format";
import type { HostData } from "../staged/run-value.ts";

/** Rows of `size` bytes, picked by number from consecutive bytes. */
export function takeRows(bytes: Uint8Array, size: number, rows: ArrayLike<number>): Uint8Array {
  const taken = new Uint8Array(rows.length * size);
  for (let i = 0; i < rows.length; i++) taken.set(bytes.subarray(rows[i]! * size, (rows[i]! + 1) * size), i * size);
  return taken;
}

/** A tensor from an int64 array. */
export function int64Tensor(shape: readonly number[], values: ArrayLike<number>): HostData {
  const data = BigInt64Array.from({ length: values.length }, (_, i) => BigInt(values[i]!));
  return { dtype: "int64", shape, bytes: new Uint8Array(data.buffer) };
}

/** Elements of a tensor at flat positions. */
export function takeElements({ dtype, bytes }: HostData, positions: ArrayLike<number>): HostData {
  const taken = takeRows(bytes, DTYPES[dtype].itemsize, positions);
  return { dtype, shape: [positions.length], bytes: taken };
}
