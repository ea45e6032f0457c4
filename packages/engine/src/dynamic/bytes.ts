import { DTYPES } from "@pt2/format";
import type { HostData } from "../staged/run-value.ts";

/** Rows of at most so many words are copied word by word: a call for each would take longer. */
const SHORT = 16;
/** Rows of at most so many words are copied column by column: a loop for each would take longer. */
const SHORTEST = 2;

/** Rows of `size` bytes, picked by number from consecutive bytes. */
export function takeRows(bytes: Uint8Array, size: number, rows: ArrayLike<number>): Uint8Array {
  const taken = new Uint8Array(rows.length * size);
  const isWords = size % 4 === 0 && bytes.byteOffset % 4 === 0;
  const [from, to] = isWords ? [words(bytes), words(taken)] : [bytes, taken];
  const width = isWords ? size / 4 : size;
  if (width <= SHORTEST) {
    for (let k = 0; k < width; k++) {
      for (let i = 0, at = k; i < rows.length; i++, at += width) to[at] = from[rows[i]! * width + k]!;
    }
    return taken;
  }
  for (let i = 0, at = 0; i < rows.length; i++, at += width) {
    const first = rows[i]! * width;
    if (width > SHORT) to.set(from.subarray(first, first + width), at);
    else for (let k = 0; k < width; k++) to[at + k] = from[first + k]!;
  }
  return taken;
}

function words({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, Math.floor(byteLength / 4));
}

/** A tensor from an int64 array. */
export function int64Tensor(shape: readonly number[], values: ArrayLike<number>): HostData {
  // The low and the high word of each: a bigint for each takes ten times as long.
  const parts = new Int32Array(2 * values.length);
  if (values instanceof Int32Array) {
    for (let i = 0; i < values.length; i++) {
      parts[2 * i] = values[i]!;
      parts[2 * i + 1] = values[i]! >> 31;
    }
  } else {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      parts[2 * i] = value;
      parts[2 * i + 1] = Math.floor(value / 2 ** 32);
    }
  }
  return { dtype: "int64", shape, bytes: new Uint8Array(parts.buffer) };
}

/** Elements of a tensor at flat positions. */
export function takeElements({ dtype, bytes }: HostData, positions: ArrayLike<number>): HostData {
  const taken = takeRows(bytes, DTYPES[dtype].itemsize, positions);
  return { dtype, shape: [positions.length], bytes: taken };
}
