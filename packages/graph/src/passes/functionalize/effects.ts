import type { OpName } from "../../ir.ts";

/** What an operator does besides computing its results, as its schema says. */
export interface OpEffects {
  /** Arguments that it writes to. */
  readonly mutates: readonly string[];
  /** Results that are views of an argument, or the argument itself after it was written. */
  readonly aliases: readonly { readonly output: number; readonly arg: string }[];
  /** The operator with the same arguments that leaves them alone: `aten::relu` for `aten::relu_`. */
  readonly functional?: OpName;
}

/** Looks up effects; undefined for operators without any, and for unknown ones. */
export type EffectsOf = (op: OpName) => OpEffects | undefined;
