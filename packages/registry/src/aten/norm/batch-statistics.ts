import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import type { BatchNorm } from "./batch-norm.ts";

/** Statistics over all dimensions except the channels, in float32 for half precision; `variance` is the biased one. */
export interface BatchStatistics {
  readonly mean: TensorMeta;
  readonly variance: TensorMeta;
  readonly rstd: TensorMeta;
}

/** Computes the statistics of one batch. */
export function statistics(b: Builder, input: TensorMeta, eps: number): BatchStatistics {
  check(
    input.shape.length >= 2,
    () => `batch_norm: expected at least two dimensions, got input size ${show(input.shape)}`,
  );
  const e = emit(b);
  const x = e.wide(input);
  const dims = range(x.shape.length).filter((d) => d !== 1);
  check(
    numel(x.shape) > x.shape[1]! || numel(x.shape) === 0,
    () => `Expected more than 1 value per channel when training, got input size ${show(x.shape)}`,
  );
  const variance = b.tensor("aten::var.correction", { self: x, dim: dims, correction: 0, keepdim: false });
  return { mean: e.mean(x, dims), variance, rstd: e.rsqrt(e.add(variance, { float: eps })) };
}

/**
 * Returns mean and reciprocal standard deviation as results: for half-precision inputs they are float32 only if the
 * parameters are.
 */
export function saved(
  b: Builder,
  { input, weight, bias, running_mean, running_var }: Omit<BatchNorm, "momentum" | "eps">,
  { mean, rstd }: BatchStatistics,
): readonly [mean: TensorMeta, rstd: TensorMeta] {
  const { cast } = emit(b);
  const mixed = [weight, bias, running_mean, running_var].some((parameter) => parameter?.dtype === "float32");
  const dtype = mixed ? computeDtype(input.dtype) : input.dtype;
  return [cast(mean, dtype), cast(rstd, dtype)];
}

/** Computes `(1 - momentum) * running + momentum * batch`, with the unbiased variance of the batch. */
export function updated(
  b: Builder,
  a: {
    readonly input: TensorMeta;
    readonly running_mean: TensorMeta;
    readonly running_var: TensorMeta;
    readonly momentum: number;
  },
  stats: BatchStatistics,
): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  const count = numel(a.input.shape) / a.input.shape[1]!;
  const blend = (running: TensorMeta, batch: TensorMeta, factor: number): TensorMeta => {
    const kept = e.mul(running, { float: 1 - a.momentum });
    return e.cast(e.add(kept, e.mul(batch, { float: a.momentum * factor })), running.dtype);
  };
  return [blend(a.running_mean, stats.mean, 1), blend(a.running_var, stats.variance, count / (count - 1))];
}
