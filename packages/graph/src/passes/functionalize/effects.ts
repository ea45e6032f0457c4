import type { OpName } from "../../ir.ts";

/**
 * A result that shares memory with an argument. In lists, each item shares memory with the item at the same position.
 */
export interface OpAlias {
  /** The position among the returns. */
  readonly output: number;
  readonly arg: string;
  /** Whether some calls copy instead, which PyTorch decides at run time. */
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

/** The effects of a call, apart from its results. */
export interface OpEffects {
  /** The arguments that the op writes to. */
  readonly mutates: readonly string[];
  /** The results that are, or may be, views of arguments: by the schema, and by observing PyTorch. */
  readonly aliases: readonly OpAlias[];
  /**
   * For an in-place op, `aten::add_.Tensor`: the op that computes the same value in a new tensor, `aten::add.Tensor`.
   * The value still has to be converted to the dtype of the written argument.
   */
  readonly functional?: OpName;
  /** For a view: how to write through it. */
  readonly inverse?: ViewInverse;
  /** Whether a user redefines the op: facts about PyTorch's op of that name then do not hold. */
  readonly claimed?: true;
  /** Whether it is unknown what the op writes to and aliases; only the backend that runs it knows. */
  readonly opaque?: true;
}

/** Looks up effects; returns undefined for operators without any, and for unknown ones. */
export type EffectsOf = (op: OpName) => OpEffects | undefined;
