import type { OpName } from "@pt2/graph";
import type { Scalar, TensorMeta } from "./tensor-meta.ts";

/** A resolved argument or result. Tensors are metas; ints are plain numbers (saturated at ±2^53), enums are strings. */
export type ArgValue = TensorMeta | Scalar | string | null | readonly ArgValue[];

/**
 * Emits ops inside a decomposition or a gradient. Each call infers its results at once, so a rule can branch on
 * concrete shapes; a tensor is the meta object that a call (or the rule's own arguments) gave, by identity.
 * Arguments that are left out take the schema's defaults.
 */
export interface Builder {
  /** The single tensor that `op` returns. */
  tensor(op: OpName, args: Readonly<Record<string, ArgValue>>): TensorMeta;
  /** All results of `op`: one entry per return, a `Tensor[]` return as an array. */
  call(op: OpName, args: Readonly<Record<string, ArgValue>>): readonly ArgValue[];
}
