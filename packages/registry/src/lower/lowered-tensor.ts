import type { ArgValue, TensorMeta } from "../tensor-meta.ts";

/** A tensor of a lowered program. Tensors are compared by object identity. */
export interface LoweredTensor extends TensorMeta {
  /** The name for messages: that of the value in the graph, or of the op that made it. */
  readonly name: string;
}

/** Returns whether a resolved argument or result is a tensor that exists at run time (a wrapped number does not). */
export function isTensor(value: unknown): value is LoweredTensor {
  return (
    typeof value === "object" &&
    value !== null &&
    "shape" in value &&
    !("wrapped" in value && value.wrapped !== undefined)
  );
}

/** Returns all run-time tensors in a resolved argument or result, with lists flattened. */
export function tensorsIn(value: ArgValue | undefined): readonly LoweredTensor[] {
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  return isTensor(value) ? [value] : NONE;
}

const NONE: readonly LoweredTensor[] = Object.freeze([]);
