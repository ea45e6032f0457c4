import { DTYPES, type DType } from "@pt2/format";
import type { ArgValue, Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta } from "../../wrapped.ts";
import { check } from "./check.ts";

/** Returns whether a dtype is a floating point dtype: float16, bfloat16, float32, float64 or float8. */
export function isFloat(dtype: DType): boolean {
  return DTYPES[dtype].kind === "float";
}

/** Returns whether a dtype is complex. */
export function isComplex(dtype: DType): boolean {
  return DTYPES[dtype].kind === "complex";
}

/** Returns whether an argument is a complex tensor. */
export function takesComplex(args: Readonly<Record<string, ArgValue>>): boolean {
  return Object.values(args).some((value) => isTensorMeta(value) && isComplex(value.dtype));
}

/** Returns whether a dtype is an integer or bool: `sum` accumulates these in int64. */
export function isIntegral(dtype: DType): boolean {
  return !isFloat(dtype) && !isComplex(dtype);
}

/** Refuses all dtypes but floating point and complex ones. */
export function checkFloating(op: string, self: TensorMeta): void {
  check(!isIntegral(self.dtype), () => `${op}: expected a floating point or complex tensor, got ${self.dtype}`);
}

/** Refuses index tensors that are not int64 (or int32, if `narrow`). */
export function checkIndex(op: string, index: TensorMeta, narrow = true): void {
  const ok = index.dtype === "int64" || (narrow && index.dtype === "int32");
  check(ok, () => `${op}: expected dtype ${narrow ? "int32/int64" : "int64"} for index, got ${index.dtype}`);
}

/** Refuses operands of different dtypes. */
export function checkSameDtype(op: string, first: TensorMeta, ...others: readonly TensorMeta[]): void {
  for (const other of others) {
    check(
      other.dtype === first.dtype,
      () => `${op}: expected ${first.dtype} and ${other.dtype} to have the same dtype`,
    );
  }
}

/** Converts a `Scalar` to a JavaScript number. */
export function toNumber(scalar: Scalar): number {
  if (typeof scalar === "object") {
    check("float" in scalar, "a complex number is not allowed here");
    return scalar.float;
  }
  return Number(scalar);
}
