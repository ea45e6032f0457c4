import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord, type Requirements } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { checkFloating, checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** The arguments that the batch norm ops have in common. */
export interface BatchNorm {
  readonly input: TensorMeta;
  readonly weight: TensorMeta | null;
  readonly bias: TensorMeta | null;
  readonly running_mean: TensorMeta | null;
  readonly running_var: TensorMeta | null;
  readonly momentum: number;
  readonly eps: number;
}

/** PyTorch's requirements for parameters and statistics. */
export const BATCH_NORM: Requirements = {
  same: ["input", "weight", "bias", "running_mean", "running_var"],
  ranks: { running_mean: [1], running_var: [1] },
};

/** Defines batch normalization in eval mode. */
export const BATCH_NORM_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    {
      requires: BATCH_NORM,
      infer: ({ input, weight, bias, running_mean, running_var }) => {
        checkChannels(input, weight, bias, running_mean, running_var);
        const none = { dtype: input.dtype, shape: [0] };
        return [{ dtype: input.dtype, shape: input.shape }, none, none];
      },
      decompose: ({ running_mean, running_var, ...a }, b) => {
        const e = emit(b);
        const variance = e.wide(running_var);
        const rstd = e.rsqrt(e.add(variance, { float: a.eps }));
        const none = e.full([0], 0, a.input.dtype);
        return [scaleAndShift(b, a, e.wide(running_mean), rstd), none, none];
      },
    },
  ),
  defineOp(
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    {
      requires: BATCH_NORM,
      decompose({ cudnn_enabled: _, ...a }, b) {
        // An empty input has no statistics, and may have no channels.
        if (numel(a.input.shape) === 0) return b.tensor("aten::clone", { self: a.input });
        return a.training ? b.call("aten::native_batch_norm", a)[0] : evaluate(b, a)[0];
      },
    },
  ),
];

/** The result, and what training saves for the backward op. */
export type Results = readonly [TensorMeta, TensorMeta, TensorMeta];

/** Normalizes with the running statistics. */
export function evaluate(
  b: Builder,
  { input, weight, bias, running_mean, running_var, momentum, eps }: BatchNorm,
): Results {
  check(
    running_mean !== null && running_var !== null,
    "Expected running_mean and running_var to be defined when training=False",
  );
  const args = { input, weight, bias, running_mean, running_var, momentum, eps };
  const results = b.call("aten::_native_batch_norm_legit_no_training", args);
  return results;
}

/** Refuses parameters that do not have one element per channel. */
export function checkChannels(input: TensorMeta, ...parameters: readonly (TensorMeta | null)[]): void {
  checkFloating("batch_norm", input);
  check(input.shape.length >= 2, () => `batch_norm: expected at least 2D input (got ${input.shape.length}D input)`);
  const channels = input.shape[1]!;
  const given = parameters.filter((parameter) => parameter !== null);
  if (given.length > 0) checkSameDtype("batch_norm", given[0]!, ...given);
  for (const parameter of parameters) {
    check(
      parameter === null || numel(parameter.shape) === channels,
      () => `batch_norm: a parameter should contain ${channels} elements not ${show(parameter!.shape)}`,
    );
  }
}

/** Computes `(x - mean) * rstd * weight + bias` as one multiplication and one addition per element. */
export function scaleAndShift(
  b: Builder,
  { input, weight, bias }: Pick<BatchNorm, "input" | "weight" | "bias">,
  mean: TensorMeta,
  rstd: TensorMeta,
): TensorMeta {
  const e = emit(b);
  const compute = computeDtype(input.dtype);
  const parameter = (x: TensorMeta): TensorMeta => e.cast(x, compute);
  const scale = weight === null ? parameter(rstd) : e.mul(parameter(weight), parameter(rstd));
  const offset = e.mul(parameter(mean), scale);
  const shift = bias === null ? e.neg(offset) : e.sub(parameter(bias), offset);
  const channel = (x: TensorMeta): TensorMeta =>
    e.reshape(x, [input.shape[1]!, ...new Array<number>(input.shape.length - 2).fill(1)]);
  return e.cast(e.add(e.mul(e.cast(input, compute), channel(scale)), channel(shift)), input.dtype);
}
