import type { ModelTypes, TensorInput, TensorOutput } from "@pt2/runtime";

/** The parameters of `forward` by name. */
export interface TreesModelParameters {
  readonly pair: {
    readonly left: TensorInput<"float32", [3, 2]>;
    readonly right: readonly [TensorInput<"float32", [3, 2]>];
  };
  /** float32 [2] */
  readonly named: TensorInput<"float32", [2]>;
}

/** The types of the model's calls, for `load` of `@pt2/runtime`. Written by `pt2 types`. */
export interface TreesModel extends ModelTypes {
  readonly parameters: TreesModelParameters;
  readonly args: readonly [pair: TreesModelParameters["pair"]];
  readonly kwargs: Pick<TreesModelParameters, "named">;
  readonly output: {
    readonly sum: TensorOutput<"float32", [3, 2]>;
    readonly list: readonly [TensorOutput<"float32", [3, 2]>, readonly [TensorOutput<"float32", [3, 2]>, 3]];
    readonly named: TensorOutput<"float32", [2]>;
  };
}
