import type { DType } from "@pt2/format";
import type { ArgValue, Scalar, TensorMeta } from "./tensor-meta.ts";

/** Makes a 0-d tensor of a number where a tensor is expected; it has the number's category in type promotion. */
export function wrapNumber(value: Scalar): TensorMeta {
  return { dtype: pythonDtype(value), shape: [], wrapped: value };
}

/** Returns the dtype that `torch.tensor(number)` has in double precision; a JavaScript number beyond int64 is a float. */
export function pythonDtype(value: Scalar): DType {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) && isInt64(value) ? "int64" : "float64";
  if (typeof value === "bigint") return "int64";
  return "re" in value ? "complex128" : "float64";
}

function isInt64(value: number): boolean {
  return value >= -(2 ** 63) && value < 2 ** 63;
}

/** Returns whether an argument value is a tensor (or a wrapped number). */
export function isTensorMeta(value: unknown): value is TensorMeta {
  return typeof value === "object" && value !== null && "shape" in value && "dtype" in value;
}

/** Returns whether an argument value is a Python number. */
export function isScalar(value: ArgValue): value is Scalar {
  if (typeof value === "object") return value !== null && ("float" in value || "re" in value);
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}
