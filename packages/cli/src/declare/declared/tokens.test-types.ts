import type { ModelTypes, TensorInput, TensorOutput } from "@pt2/runtime";

/** The parameters of `forward` by name. */
export interface TokensModelParameters {
  /** int64 [5] */
  readonly ids: TensorInput<"int64", [5]>;
  /** int64 [5] */
  readonly target: TensorInput<"int64", [5]>;
}

/** The types of the model's calls, for `load` of `@pt2/runtime`. Written by `pt2 types`. */
export interface TokensModel extends ModelTypes {
  readonly parameters: TokensModelParameters;
  readonly args: readonly [ids: TokensModelParameters["ids"], target: TokensModelParameters["target"]];
  readonly kwargs: Record<string, never>;
  readonly output: {
    readonly logits: TensorOutput<"float32", [5, 7]>;
    readonly loss: TensorOutput<"float32", []>;
  };
  readonly step: {
    readonly loss: TensorOutput<"float32", []>;
    readonly outputs: {
      readonly logits: TensorOutput<"float32", [5, 7]>;
      readonly loss: TensorOutput<"float32", []>;
    };
    readonly gradients: {
      readonly "embed.weight": TensorOutput<"float32", [7, 4]>;
      readonly "norm.weight": TensorOutput<"float32", [4]>;
      readonly "norm.bias": TensorOutput<"float32", [4]>;
      readonly "head.weight": TensorOutput<"float32", [7, 4]>;
    };
    readonly inputGradients: Record<string, never>;
  };
}
