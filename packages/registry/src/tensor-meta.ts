import type { DType } from "@pt2/format";

/**
 * A tensor as shape and dtype rules see it: concrete sizes, no data.
 *
 * A number in place of a Tensor is a 0-d meta with `wrapped` set, which matters to type promotion: it takes part with
 * its category (bool, int, float, complex), not with its dtype.
 */
export interface TensorMeta {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly wrapped?: Scalar;
  /** Set for a runtime scalar. It promotes like a wrapped number, and is an operand like a tensor. */
  readonly number?: NumberCell;
}

/** Holds a number that changes from run to run. */
export interface NumberCell {
  readonly value: Scalar;
}

/** A Python complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** The value of a `Scalar` argument. A Python int beyond 2^53 is a bigint, a Python float is a {@link FloatScalar}. */
export type Scalar = number | bigint | boolean | Complex | FloatScalar;

/** A Python float in a `Scalar` argument: `2.0` promotes an int tensor, `2` does not, so the two must differ. */
export interface FloatScalar {
  readonly float: number;
}

export type { Strided } from "@pt2/format";

/** A resolved argument or result. Tensors are metas; ints are plain numbers (saturated at ±2^53), enums are strings. */
export type ArgValue = TensorMeta | Scalar | string | null | readonly ArgValue[];

/** The array type of a tensor's memory: floats of 8 and 16 bits are stored as bits, bool as bytes, complex as pairs. */
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

/** A tensor that a function of a user receives and returns; its elements are in host memory. */
export interface HandlerTensor extends TensorMeta {
  /** The row-major elements. Floats narrower than 32 bits are numbers in a `Float32Array`; results may also be bits. */
  readonly data: TypedArray;
}
