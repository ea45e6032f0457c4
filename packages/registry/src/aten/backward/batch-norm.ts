import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { range } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines the gradient of batch normalization, in training and in eval mode. */
export const BATCH_NORM_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    {
      requires: {
        same: ["input", "grad_out", "weight", "running_mean", "running_var", "save_mean", "save_invstd"],
        ranks: { weight: [1], running_mean: [1], running_var: [1], save_mean: [1], save_invstd: [1] },
      },
      decompose: (a, b) => {
        const e = emit(b);
        const saved = a.train ? [a.save_mean, a.save_invstd] : [a.running_mean, a.running_var];
        check(
          a.input.shape.length >= 2 && !saved.includes(null),
          "native_batch_norm_backward: expected an input of at least two dimensions, and its statistics",
        );
        const channels = a.input.shape[1]!;
        const shape = a.input.shape.map((_, d) => (d === 1 ? channels : 1));
        const others = range(a.input.shape.length).filter((d) => d !== 1);
        const statistics = a.train ? [a.save_mean, a.save_invstd] : given(b, a.running_mean, a.running_var, a.eps);
        // As PyTorch's kernel: narrow numbers are computed with in float32, in which parameters and statistics may be given.
        const [mean, rstd] = statistics.map((x) => e.wide(e.reshape(x!, shape))) as [TensorMeta, TensorMeta];
        const grad = e.wide(a.grad_out);
        const unit = e.mul(e.sub(e.wide(a.input), mean), rstd);
        const scaled = a.weight === null ? grad : e.mul(grad, e.reshape(a.weight, shape));
        const channel = (x: TensorMeta): TensorMeta => e.cast(e.sum(x, others), (a.weight ?? statistics[0])!.dtype);
        const average = (x: TensorMeta): TensorMeta => e.mean(x, others, true);
        const centered = (): TensorMeta =>
          a.train ? e.sub(e.sub(scaled, average(scaled)), e.mul(unit, average(e.mul(scaled, unit)))) : scaled;
        const none = (): TensorMeta => e.full([0], 0, a.input.dtype);
        const [forInput, forWeight, forBias] = a.output_mask;
        return [
          forInput ? e.cast(e.mul(centered(), rstd), a.input.dtype) : none(),
          forWeight ? channel(e.mul(grad, unit)) : none(),
          forBias ? channel(grad) : none(),
        ];
      },
    },
  ),
];

function given(
  b: Builder,
  mean: TensorMeta | null,
  variance: TensorMeta | null,
  eps: number,
): readonly (TensorMeta | null)[] {
  const e = emit(b);
  return [mean, variance && e.rsqrt(e.add(variance, { float: eps }))];
}
