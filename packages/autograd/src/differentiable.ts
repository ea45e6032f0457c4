import type { DType } from "@pt2/format";
import { type ArgValue, isTensorMeta, type TensorMeta } from "@pt2/registry";

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
