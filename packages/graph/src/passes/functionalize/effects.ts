import type { OpName } from "../../ir.ts";

/** A result in the memory of an argument. In lists, each item is in the memory of the item at its position. */
export interface OpAlias {
  /** The position among the returns. */
  readonly output: number;
  readonly arg: string;
  /** True if some calls copy instead. */
  readonly copies?: boolean;
}

/**
 * How what is viewed follows from a view of it that was written to:
 *
 * - `reshape`: the elements in row-major order are those of what is viewed, which has another shape.
 * - `same`: the view is all of what it views, as it is.
 * - `permute`, `move`: the dimensions go back to where they were.
 * - `narrow`: the view is a slice from `start` on of `length` elements.
 * - `dtype`: the same bytes as another dtype.
 * - `undo`: an operator that undoes the view, called with the view's other arguments.
 * - `scatter`: an operator that gives what is viewed with `src` written through the view, called with the view's other
 *   arguments; of several views `view` says which one.
 * - `join`: an operator that puts the pieces together along the view's `dim`, along this one, or along `columns`: the
 *   second dimension, or the only one.
 * - `part`: the view is one part of complex numbers, of which `other` gives the other one.
 */
export type ViewInverse =
  | "reshape"
  | "same"
  | "permute"
  | "move"
  | "narrow"
  | "dtype"
  | { readonly undo: OpName }
  | { readonly scatter: OpName }
  | { readonly join: OpName; readonly dim?: number | "columns" }
  | { readonly part: "real" | "imag"; readonly other: OpName };

/** The effects of an operator besides computing its results. */
export interface OpEffects {
  /** The arguments that it writes to. */
  readonly mutates: readonly string[];
  /** The results that are views of an argument, or the argument itself after a write. */
  readonly aliases: readonly OpAlias[];
  /** The functional variant with the same arguments: `aten::relu` for `aten::relu_`. */
  readonly functional?: OpName;
  /** For a view: how it is written through. */
  readonly inverse?: ViewInverse;
  /** The user defines what the operator does, so built-in knowledge of that op name does not apply. */
  readonly claimed?: true;
  /** The operator's writes and aliases are unknown. */
  readonly opaque?: true;
}

/** Looks up effects; returns undefined for operators without any, and for unknown ones. */
export type EffectsOf = (op: OpName) => OpEffects | undefined;
