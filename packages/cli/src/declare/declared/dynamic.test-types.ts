import type { ModelTypes, TensorInput, TensorOutput } from "@pt2/runtime";

/** The parameters of `forward` by name. */
export interface DynamicModelParameters {
  /** int64 [s23, s27] */
  readonly ids: TensorInput<"int64", ["s23", "s27"]>;
}

/**
 * The types of the model's calls, for `load` of `@pt2/runtime`. Written by `pt2 types`.
 *
 * Symbolic sizes:
 * - `s23`: 1 to 64
 * - `s27`: 2 to 128
 */
export interface DynamicModel extends ModelTypes {
  readonly parameters: DynamicModelParameters;
  readonly args: readonly [ids: DynamicModelParameters["ids"]];
  readonly kwargs: Record<string, never>;
  readonly output: readonly [
    TensorOutput<"float32", ["s23", "8*s27"]>,
    TensorOutput<"float32", ["s27 + 1", 2]>,
    TensorOutput<"float32", ["s23", 4]>,
  ];
}
