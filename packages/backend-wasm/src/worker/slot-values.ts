import type { Value } from "@pt2/backend";
import { DTYPES, dtypeFromSchema } from "@pt2/format";
import type { WireValue } from "./protocol.ts";

/** What the first number of a value says it is. */
const KIND = { null: 0, false: 1, true: 2, number: 3, tensor: 4 } as const;

/**
 * Writes values to memory that begins at a multiple of 8: a number for what a value is, for tensors then the dtype, the
 * bytes and the sizes, all 64-bit floats, and the elements. Returns false where there is no room for all, or where one
 * is neither a tensor nor a plain number.
 */
export function writeValues(memory: Float64Array, values: readonly (WireValue | Value)[]): boolean {
  let at = 0;
  const put = (number: number): void => {
    // What is written behind the end is dropped.
    memory[at++] = number;
  };
  put(values.length);
  for (const value of values) {
    if (value === null) put(KIND.null);
    else if (typeof value === "boolean") put(value ? KIND.true : KIND.false);
    else if (typeof value === "number") {
      put(KIND.number);
      put(value);
    } else if (typeof value === "object" && value.bytes !== null) {
      const { dtype, shape } = value;
      const bytes = value.bytes instanceof ArrayBuffer ? new Uint8Array(value.bytes) : value.bytes;
      put(KIND.tensor);
      put(DTYPES[dtype].schema);
      put(bytes.byteLength);
      put(shape.length);
      for (const size of shape) put(size);
      const room = (memory.length - at) * 8;
      if (bytes.byteLength > room) return false;
      new Uint8Array(memory.buffer, memory.byteOffset + at * 8, bytes.byteLength).set(bytes);
      at += Math.ceil(bytes.byteLength / 8);
    } else return false;
  }
  return at <= memory.length;
}

/** Returns a copy of what `writeValues` has written. */
export function readValues(memory: Float64Array): readonly WireValue[] {
  let at = 0;
  const get = (): number => memory[at++]!;
  const tensor = (): WireValue => {
    const dtype = dtypeFromSchema(get())!;
    const byteLength = get();
    const shape = Array.from({ length: get() }, get);
    const bytes = new Uint8Array(byteLength);
    bytes.set(new Uint8Array(memory.buffer, memory.byteOffset + at * 8, byteLength));
    at += Math.ceil(byteLength / 8);
    return { dtype, shape, bytes: bytes.buffer };
  };
  return Array.from({ length: get() }, (): WireValue => {
    const kind = get();
    if (kind === KIND.tensor) return tensor();
    if (kind === KIND.number) return get();
    return kind === KIND.null ? null : kind === KIND.true;
  });
}
