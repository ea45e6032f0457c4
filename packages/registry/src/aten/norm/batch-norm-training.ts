import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { numel, range, wrapDim } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { BATCH_NORM, type BatchNorm, checkChannels, evaluate, type Results, scaleAndShift } from "./batch-norm.ts";
import { saved, statistics, updated } from "./batch-statistics.ts";

/** Defines batch normalization in training, the ops named after its implementations, and instance normalization. */
export const BATCH_NORM_TRAINING_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    {
      requires: BATCH_NORM,
      decompose: (a, b) => normalize(b, a),
    },
  ),
  defineOp(
    "aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    {
      requires: BATCH_NORM,
      decompose: (a, b) => normalize(b, a),
    },
  ),
  defineOp(
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    {
      requires: { same: ["input", "weight", "bias"] },
      decompose: (a, b) => normalize(b, { ...a, training: true, running_mean: null, running_var: null }),
    },
  ),
  defineOp(
    "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
    {
      requires: BATCH_NORM,
      decompose: (a, b) => {
        if (!a.training) return [...evaluate(b, { ...a }), a.running_mean, a.running_var];
        checkChannels(a.input, a.weight, a.bias, a.running_mean, a.running_var);
        const stats = statistics(b, a.input, a.eps);
        const output = scaleAndShift(b, a, stats.mean, stats.rstd);
        return [output, ...saved(b, a, stats), ...updated(b, a, stats)];
      },
    },
  ),
  defineOp(
    "aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
    {
      decompose: (a, b) => {
        const stats = statistics(b, a.input, a.eps);
        const output = scaleAndShift(b, a, stats.mean, stats.rstd);
        return [output, ...saved(b, a, stats), emit(b).full([0], 0, "uint8"), ...updated(b, a, stats)];
      },
    },
  ),
  defineOp(
    "aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      decompose: (a, b) => [...normalize(b, { ...a, training: true }), emit(b).full([0], 0, "uint8")],
    },
  ),
  defineOp(
    "aten::_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      decompose: (a, b) => [...normalize(b, { ...a, training: false }), emit(b).full([0], 0, "uint8")],
    },
  ),
  defineOp(
    "aten::cudnn_batch_norm(Tensor input, Tensor weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      decompose: ({ exponential_average_factor: momentum, epsilon: eps, ...a }, b) => [
        ...normalize(b, { ...a, momentum, eps }),
        emit(b).full([0], 0, "uint8"),
      ],
    },
  ),
  defineOp(
    "aten::_batch_norm_impl_index(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> (Tensor, Tensor, Tensor, Tensor, int)",
    {
      decompose: (a, b) => [...normalize(b, a), emit(b).full([0], 0, "uint8"), 0],
    },
  ),
  defineOp(
    "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    {
      requires: BATCH_NORM,
      decompose: ({ use_input_stats, ...a }, b) => {
        if (!use_input_stats) return normalize(b, { ...a, training: false })[0];
        checkChannels(a.input, a.weight, a.bias, a.running_mean, a.running_var);
        const [batch, channels] = a.input.shape as readonly [number, number];
        // With one group per channel, group norm is instance norm.
        const groups = { N: batch, C: channels, HxW: numel(a.input.shape.slice(2)), group: channels, eps: a.eps };
        return b.call("aten::native_group_norm", {
          input: a.input,
          weight: a.weight,
          bias: a.bias,
          ...groups,
        })[0];
      },
    },
  ),
  defineOp("aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", {
    decompose: ({ self, p, dim, maxnorm }, b) => {
      const e = emit(b);
      const at = wrapDim(dim, self.shape.length);
      check(self.shape.length > 1, "renorm: input needs at least 2 dimensions");
      check(toNumber(p) > 0, "renorm: non-positive-norm not supported");
      check(toNumber(maxnorm) >= 0, () => `renorm: expected maxnorm to be >= 0 but got ${toNumber(maxnorm)}`);
      const rest = range(self.shape.length).filter((d) => d !== at);
      const norm = b.tensor("aten::linalg_vector_norm", { self, ord: p, dim: rest, keepdim: true });
      const factor = e.div(maxnorm, e.add(norm, { float: 1e-7 }));
      return e.mul(self, e.where(e.gt(norm, maxnorm), factor, { float: 1 }));
    },
  }),
];

/**
 * Normalizes, and updates the running statistics in place as PyTorch does, although the schema does not mark them as
 * written to.
 */
function normalize(b: Builder, a: BatchNorm & { readonly training: boolean }): Results {
  if (!a.training) return evaluate(b, a);
  checkChannels(a.input, a.weight, a.bias, a.running_mean, a.running_var);
  const stats = statistics(b, a.input, a.eps);
  const output = scaleAndShift(b, a, stats.mean, stats.rstd);
  if (a.running_mean !== null && a.running_var !== null) {
    const [mean, variance] = updated(b, { ...a, running_mean: a.running_mean, running_var: a.running_var }, stats);
    b.call("aten::copy_", { self: a.running_mean, src: mean });
    b.call("aten::copy_", { self: a.running_var, src: variance });
  }
  return [output, ...saved(b, a, stats)];
}
