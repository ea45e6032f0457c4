// Lets the declared types compile in projects whose `lib` lacks `Symbol.dispose`.
/// <reference lib="esnext.disposable" preserve="true" />

import { DTYPES, type DType, numel } from "@pt2/format";
import { backendError } from "./backend-errors.ts";

/**
 * The array type of a tensor's elements: `float16`, `bfloat16` and `float8` are stored as bits, bool as bytes, complex
 * numbers as pairs.
 */
export type TypedArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/**
 * A tensor as users hold it: dense, row-major, immutable by convention. Its bytes are in host memory (then `data` is
 * set) or on a device (then `data` is null).
 */
export interface Tensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** `host`, or the name of the device that holds the tensor. */
  readonly device: string;
  /** The elements if they are in host memory, else null. */
  readonly data: TypedArray | null;
  /** Returns the elements in host memory; copies only if they are on a device. */
  read(): Promise<TypedArray>;
  /** Frees device memory; host memory is left to the garbage collector. Idempotent. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A tensor whose elements are in host memory. */
export interface HostTensor extends Tensor {
  readonly device: "host";
  readonly data: TypedArray;
}

type ArrayType = {
  readonly name: string;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
};

const ARRAY_OF: Readonly<Record<DType, ArrayType>> = {
  uint8: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  complex32: Uint16Array,
  complex64: Float32Array,
  complex128: Float64Array,
  bool: Uint8Array,
  bfloat16: Uint16Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float8_e4m3fn: Uint8Array,
  float8_e5m2: Uint8Array,
  float8_e4m3fnuz: Uint8Array,
  float8_e5m2fnuz: Uint8Array,
  float8_e8m0fnu: Uint8Array,
};

export { numel };

/** Returns a view of bytes as elements of a dtype. Copies only if the address is not aligned for the dtype. */
export function viewAs(dtype: DType, bytes: Uint8Array): TypedArray {
  const type = ARRAY_OF[dtype];
  const aligned = bytes.byteOffset % type.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new type(aligned.buffer, aligned.byteOffset, bytes.byteLength / type.BYTES_PER_ELEMENT);
}

/** Makes a tensor of an array, without a copy. Throws if the type or the length of the array is wrong. */
export function hostTensor(dtype: DType, shape: readonly number[], data: TypedArray): HostTensor {
  requireType(dtype, shape);
  const type = ARRAY_OF[dtype];
  const bytes = numel(shape) * DTYPES[dtype].itemsize;
  if (!(data instanceof type) || data.byteLength !== bytes) throw wrongData(dtype, shape, data);
  const nothing = () => {};
  return {
    dtype,
    shape,
    device: "host",
    data,
    read: () => Promise.resolve(data),
    dispose: nothing,
    [Symbol.dispose]: nothing,
  };
}

/** Throws unless the arguments are a dtype and a shape: callers in plain JavaScript may pass anything. */
export function requireType(dtype: unknown, shape: unknown): void {
  if (typeof dtype !== "string" || !Object.hasOwn(DTYPES, dtype)) {
    const short = String(dtype).replace(/^torch\./, "");
    throw backendError("backend.tensor-data", {
      what: `\`${String(dtype)}\` is not a dtype`,
      advice: Object.hasOwn(DTYPES, short) ? `Write "${short}".` : `Write one of ${Object.keys(DTYPES).join(", ")}.`,
    });
  }
  if (Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return;
  throw backendError("backend.tensor-data", {
    what: Array.isArray(shape)
      ? `[${shape.join(", ")}] is not a shape: sizes are integers that are not negative`
      : `${shape === null ? "null" : typeof shape} was given as the shape`,
    advice: "Give one size for each dimension: [2, 3]; [] for a single number.",
  });
}

function wrongData(dtype: DType, shape: readonly number[], data: TypedArray): Error {
  const type = ARRAY_OF[dtype];
  const isArray = ArrayBuffer.isView(data) && "length" in data;
  const given = isArray
    ? `${withArticle((data as TypedArray).constructor.name)} of ${(data as TypedArray).length}`
    : data === null || typeof data !== "object"
      ? String(data)
      : withArticle((data as object).constructor?.name ?? "object");
  // A complex element takes two entries of the array.
  const length = (numel(shape) * DTYPES[dtype].itemsize) / type.BYTES_PER_ELEMENT;
  const sameKind = isArray && data instanceof type;
  return backendError("backend.tensor-data", {
    what: `A tensor of dtype ${dtype} and shape [${shape.join(", ")}] needs ${withArticle(type.name)} of ${length} elements, got ${given}`,
    advice: sameKind
      ? "Check the shape: the product of its sizes must be the number of elements of the data."
      : "Pass float16, bfloat16 and float8 as their bits, bool as one byte per element, complex numbers as pairs.",
  });
}

/** Puts an article before the name of a class: "an Int8Array", "a Uint8Array". */
function withArticle(name: string): string {
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}
