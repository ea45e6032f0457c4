import type { DType } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { type ArgValue, isTensorMeta, type TensorMeta } from "@pt2/registry";

/** Ops that make complex numbers of real ones. */
const JOINS: ReadonlySet<OpName> = new Set(["aten::complex", "aten::view_as_complex", "aten::_fft_r2c"]);

export function isFloat(dtype: DType): boolean {
  return /^b?float/.test(dtype);
}

/** Returns whether a value is a tensor that gradients flow to: of floating point or complex numbers. */
export function isDifferentiable(value: ArgValue | undefined): value is TensorMeta {
  return isTensorMeta(value) && (isFloat(value.dtype) || isComplex(value));
}

/** Returns whether a value is a complex tensor, a complex number, or the name of a complex dtype. */
export function isComplex(value: ArgValue): boolean {
  if (typeof value !== "object" || value === null) return `${value}`.startsWith("complex");
  if (Array.isArray(value)) return (value as readonly ArgValue[]).some(isComplex);
  return isTensorMeta(value) ? isComplex(value.dtype) : "re" in value;
}

/** Returns whether a call takes or returns complex numbers. */
export function isComplexCall(op: OpName, args: Readonly<Record<string, ArgValue>>): boolean {
  return JOINS.has(op) || Object.values(args).some(isComplex);
}
