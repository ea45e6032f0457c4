import type { ArgValue, TensorMeta } from "../tensor-meta.ts";

/** A tensor of a lowered program. Two tensors are the same exactly when they are the same object. */
export interface LoweredTensor extends TensorMeta {
  /** For printing and error messages: the SSA value's name, or the op that made it. */
  readonly name: string;
}

/** Whether a resolved argument or result is a tensor that exists at run time (a wrapped number does not). */
export function isTensor(value: unknown): value is LoweredTensor {
  return (
    typeof value === "object" &&
    value !== null &&
    "shape" in value &&
    !("wrapped" in value && value.wrapped !== undefined)
  );
}

/** All run-time tensors in a resolved argument or result, lists flattened. */
export function tensorsIn(value: ArgValue | undefined): readonly LoweredTensor[] {
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  return isTensor(value) ? [value] : NONE;
}

const NONE: readonly LoweredTensor[] = Object.freeze([]);
