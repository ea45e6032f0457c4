import type { OpName } from "../../ir.ts";

/** A result in the memory of an argument. Of lists, each item is in the memory of the one at its position. */
export interface OpAlias {
  /** Position among the returns. */
  readonly output: number;
  readonly arg: string;
  /** Whether some calls copy instead. */
  readonly copies?: boolean;
}

/** What an operator does besides computing its results. */
export interface OpEffects {
  /** Arguments that it writes to. */
  readonly mutates: readonly string[];
  /** Results that are views of an argument, or the argument itself after it was written. */
  readonly aliases: readonly OpAlias[];
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
