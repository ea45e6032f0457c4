import { backendError, numel, viewAs } from "@pt2/backend";
import { bitsToFloat32, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import type { HostData, TensorType } from "../staged/run-value.ts";

/** A row-major tensor in double precision. In a complex one, real and imaginary parts alternate. */
export interface HostArray {
  readonly shape: readonly number[];
  readonly complex: boolean;
  readonly data: Float64Array;
}

/** Returns a copy of the elements of a tensor as numbers. */
export function hostArray({ dtype, shape, bytes }: HostData): HostArray {
  return { shape, complex: DTYPES[dtype].kind === "complex", data: numbersOf(dtype, bytes) };
}

function numbersOf(dtype: DType, bytes: Uint8Array): Float64Array {
  if (isSmallFloat(dtype)) return new Float64Array(bitsToFloat32(dtype, bytes));
  const array = viewAs(dtype, bytes);
  return isBig(array) ? takeBig(array) : new Float64Array(array);
}

/** Makes a tensor of numbers, each converted to the tensor's dtype. An array of the tensor's own kind becomes its memory. */
export function hostData({ dtype, shape }: TensorType, values: ArrayLike<number | bigint>): HostData {
  const size = numel(shape) * DTYPES[dtype].itemsize;
  const wanted = size / numberBytes(dtype);
  if (values.length !== wanted) {
    throw backendError("backend.data", {
      what: `A result of shape [${shape.join(", ")}] has ${wanted} numbers, ${values.length} were computed`,
      advice: "Check the values that the program computes this from.",
    });
  }
  return { dtype, shape, bytes: bytesOf(dtype, values, size) };
}

function bytesOf(dtype: DType, values: ArrayLike<number | bigint>, size: number): Uint8Array {
  const small = isSmallFloat(dtype);
  if (!small && ArrayBuffer.isView(values) && values.constructor === viewAs(dtype, new Uint8Array()).constructor) {
    return new Uint8Array(values.buffer, values.byteOffset, size);
  }
  const bytes = new Uint8Array(size);
  const array = viewAs(dtype, bytes);
  if (isBig(array)) putBig(dtype, array, values);
  else if (small) for (let i = 0; i < values.length; i++) array[i] = floatToBits(dtype, Number(values[i]));
  else if (isBig(values) || typeof values[0] === "bigint")
    for (let i = 0; i < values.length; i++) array[i] = Number(values[i]);
  else array.set(values as ArrayLike<number>);
  return bytes;
}

/** The numbers of 64-bit integers. A sum of two words is rounded once, and takes a fraction of a bigint's time. */
function takeBig(array: BigInt64Array | BigUint64Array): Float64Array {
  const words = new Uint32Array(array.buffer, array.byteOffset, 2 * array.length);
  const signed = array instanceof BigInt64Array;
  const data = new Float64Array(array.length);
  for (let i = 0; i < data.length; i++) {
    const high = words[2 * i + 1]!;
    data[i] = (signed ? high | 0 : high) * 2 ** 32 + words[2 * i]!;
  }
  return data;
}

/** Converts to 64-bit integers, in words where a number is exact. */
function putBig(dtype: DType, array: BigInt64Array | BigUint64Array, values: ArrayLike<number | bigint>): void {
  const words = new Int32Array(array.buffer, array.byteOffset, 2 * array.length);
  if (values instanceof Int32Array || values instanceof Uint32Array) {
    for (let i = 0; i < array.length; i++) {
      words[2 * i] = values[i]!;
      words[2 * i + 1] = values[i]! < 0 ? -1 : 0;
    }
    return;
  }
  for (let i = 0; i < array.length; i++) {
    const value = values[i]!;
    const whole = typeof value === "number" ? Math.trunc(value) : Number.NaN;
    if (Math.abs(whole) < 2 ** 53) {
      words[2 * i] = whole;
      words[2 * i + 1] = Math.floor(whole / 2 ** 32);
    } else {
      array[i] = convert(dtype, value) as bigint;
    }
  }
}

function isBig(array: unknown): array is BigInt64Array | BigUint64Array {
  return array instanceof BigInt64Array || array instanceof BigUint64Array;
}

/** Returns the bytes of one number: half an element of a complex dtype. */
function numberBytes(dtype: DType): number {
  const { itemsize, kind } = DTYPES[dtype];
  return kind === "complex" ? itemsize / 2 : itemsize;
}
