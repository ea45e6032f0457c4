import type { OpName } from "../../ir.ts";

/** What an operator does besides computing its results, as its schema says. */
export interface OpEffects {
  /** Arguments that it writes to. */
  readonly mutates: readonly string[];
  /** Results that are views of an argument, or the argument itself after it was written. */
  readonly aliases: readonly { readonly output: number; readonly arg: string }[];
  /** The operator with the same arguments that leaves them alone: `aten::relu` for `aten::relu_`. */
  readonly functional?: OpName;
  /** For a view: the operator that gives what it views with `src` written through it. */
  readonly scatter?: OpName;
  /** Somebody says himself what the operator does: what the pass knows of operators of that name does not hold. */
  readonly claimed?: true;
  /** Nothing says what the operator writes to and aliases. */
  readonly opaque?: true;
}

/** Looks up effects; undefined for operators without any, and for unknown ones. */
export type EffectsOf = (op: OpName) => OpEffects | undefined;
