import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, range } from "../support/dims.ts";
import { checkFloating } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Arguments that the batch norm ops share. */
export interface BatchNorm {
  readonly input: TensorMeta;
  readonly weight: TensorMeta | null;
  readonly bias: TensorMeta | null;
  readonly running_mean: TensorMeta | null;
  readonly running_var: TensorMeta | null;
  readonly momentum: number;
  readonly eps: number;
}

/** Statistics over everything but the channels, in float32 for the half floats; `variance` is the biased one. */
export interface BatchStatistics {
  readonly mean: TensorMeta;
  readonly variance: TensorMeta;
  readonly rstd: TensorMeta;
}

/** Refuses parameters that do not have one element per channel. */
export function checkChannels(input: TensorMeta, ...parameters: readonly (TensorMeta | null)[]): void {
  checkFloating("batch_norm", input);
  check(input.shape.length >= 2, () => `batch_norm: expected at least 2D input (got ${input.shape.length}D input)`);
  const channels = input.shape[1]!;
  for (const parameter of parameters) {
    check(
      parameter === null || numel(parameter.shape) === channels,
      () => `batch_norm: a parameter should contain ${channels} elements not ${show(parameter!.shape)}`,
    );
  }
}

/** Computes the statistics of one batch. */
export function statistics(b: Builder, input: TensorMeta, eps: number): BatchStatistics {
  check(
    input.shape.length >= 2,
    () => `batch_norm: expected at least two dimensions, got input size ${show(input.shape)}`,
  );
  const e = emit(b);
  const x = e.cast(input, computeDtype(input.dtype));
  const dims = range(x.shape.length).filter((d) => d !== 1);
  check(
    numel(x.shape) > x.shape[1]! || numel(x.shape) === 0,
    () => `Expected more than 1 value per channel when training, got input size ${show(x.shape)}`,
  );
  const variance = b.tensor("aten::var.correction", { self: x, dim: dims, correction: 0, keepdim: false });
  return { mean: e.mean(x, dims), variance, rstd: e.rsqrt(e.add(variance, { float: eps })) };
}

/** Mean and deviation as results: of halves in float32 only where parameters are. */
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

/** `(x - mean) * rstd * weight + bias` as one multiplication and one addition per element. */
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

/** `(1 - momentum) * running + momentum * batch`, with the unbiased variance of the batch. */
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
