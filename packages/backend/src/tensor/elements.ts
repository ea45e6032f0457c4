import { bitsToFloat32, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import type { Complex, TypedArray } from "@pt2/registry";

interface ArrayOf {
  uint8: Uint8Array;
  int8: Int8Array;
  uint16: Uint16Array;
  int16: Int16Array;
  uint32: Uint32Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
  bool: Uint8Array;
  float64: Float64Array;
  complex128: Float64Array;
}

/**
 * The array type of a tensor's elements. Every float that is narrower than 32 bits is a number in a `Float32Array`, on
 * every engine; bool is 0 or 1; a complex element is a pair.
 */
export type DataOf<D extends DType> = D extends keyof ArrayOf ? ArrayOf[D] : Float32Array;

/** An element as a JavaScript value, by dtype: a bigint for 64-bit integers, a boolean for bool. */
export type ElementOf<D extends DType> = D extends "int64" | "uint64"
  ? bigint
  : D extends "bool"
    ? boolean
    : D extends "complex32" | "complex64" | "complex128"
      ? Complex
      : number;

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

/** Returns the type of array that views the memory of a dtype. */
export function arrayTypeOf(dtype: DType): ArrayType {
  return ARRAY_OF[dtype];
}

/** Returns a view of bytes as the memory of a dtype. Copies only if the address is not aligned for the dtype. */
export function viewAs(dtype: DType, bytes: Uint8Array): TypedArray {
  const type = ARRAY_OF[dtype];
  const aligned = bytes.byteOffset % type.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new type(aligned.buffer, aligned.byteOffset, bytes.byteLength / type.BYTES_PER_ELEMENT);
}

/** Returns the elements that bytes hold. Copies only floats narrower than 32 bits, which become numbers. */
export function dataOf<D extends DType>(dtype: D, bytes: Uint8Array): DataOf<D> {
  if (dtype === "complex32") return bitsToFloat32("float16", bytes) as DataOf<D>;
  return (isSmallFloat(dtype) ? bitsToFloat32(dtype, bytes) : viewAs(dtype, bytes)) as DataOf<D>;
}

/** Returns a function that gives the element at an index of a tensor's data. */
export function elementAt<D extends DType>(dtype: D, data: DataOf<D>): (index: number) => ElementOf<D> {
  const { kind } = DTYPES[dtype];
  const numbers = data as ArrayLike<number>;
  const at =
    kind === "complex"
      ? (index: number): Complex => ({ re: numbers[2 * index]!, im: numbers[2 * index + 1]! })
      : kind === "bool"
        ? (index: number): boolean => numbers[index] !== 0
        : (index: number): number => numbers[index]!;
  return at as (index: number) => ElementOf<D>;
}
