import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { along, classDim } from "../loss/classification.ts";
import { check, show } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines the gradients of losses, as training IR has them; decomposed programs have their arithmetic. */
export const LOSS_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp("aten::mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor", {
    decompose: ({ grad_output, self, target, reduction }, b) => {
      const e = emit(b);
      return e.mul(e.mul(e.sub(self, target), { float: 2 * share(self, reduction) }), grad_output);
    },
  }),
  defineOp(
    "aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor",
    {
      decompose: ({ grad_output, self, target, reduction, beta }, b) => {
        const e = emit(b);
        const difference = e.sub(self, target);
        const near = beta === 0 ? difference : e.div(difference, { float: beta });
        const notBelow = e.where(e.ge(difference, { float: beta }), { float: 1 }, near);
        const slope = e.where(e.le(difference, { float: -beta }), { float: -1 }, notBelow);
        return e.mul(e.mul(slope, { float: share(self, reduction) }), grad_output);
      },
    },
  ),
  defineOp(
    "aten::huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor",
    {
      decompose: ({ grad_output, self, target, reduction, delta }, b) => {
        const e = emit(b);
        const slope = b.tensor("aten::clamp", {
          self: e.sub(self, target),
          min: { float: -delta },
          max: { float: delta },
        });
        return e.mul(e.mul(slope, { float: share(self, reduction) }), grad_output);
      },
    },
  ),
  defineOp("aten::soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor", {
    decompose: ({ grad_output, self, target, reduction }, b) => {
      const e = emit(b);
      const z = e.exp(e.mul(e.neg(target), self));
      const slope = e.div(e.mul(e.mul(target, z), { float: -share(self, reduction) }), e.add(z, { float: 1 }));
      return e.mul(slope, grad_output);
    },
  }),
  defineOp(
    "aten::binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
    {
      decompose: ({ grad_output, self, target, weight, reduction }, b) => {
        const e = emit(b);
        const variance = e.clampMin(e.mul(e.sub({ float: 1 }, self), self), { float: 1e-12 });
        const slope = e.div(e.mul(grad_output, e.sub(self, target)), variance);
        const weighted = weight === null ? slope : e.mul(slope, weight);
        return reduction === 1 ? e.div(weighted, { float: numel(self.shape) }) : weighted;
      },
    },
  ),
  ...(["nll_loss", "nll_loss2d"] as const).map((loss) =>
    defineOp(
      `aten::${loss}_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor`,
      {
        requires: { kinds: { target: "label" } },
        decompose: (args, b) => likelihoodGradient(b, args as unknown as LikelihoodGradient),
      },
    ),
  ),
];

/** Returns the part of the loss that each element makes. */
function share({ shape }: TensorMeta, reduction: number): number {
  return reduction === 1 ? 1 / numel(shape) : 1;
}

interface LikelihoodGradient {
  readonly grad_output: TensorMeta;
  readonly self: TensorMeta;
  readonly target: TensorMeta;
  readonly weight: TensorMeta | null;
  readonly reduction: number;
  readonly ignore_index: number;
  readonly total_weight: TensorMeta;
}

/** Only the score of the target has a gradient: its weight, with the sign changed. */
function likelihoodGradient(b: Builder, args: LikelihoodGradient): TensorMeta {
  const { grad_output, self, target, weight, reduction, ignore_index, total_weight } = args;
  const e = emit(b);
  const channel = classDim(self);
  check(
    show(target.shape) === show(self.shape.filter((_, d) => d !== channel)),
    () => `size mismatch (got input: ${show(self.shape)}, target: ${show(target.shape)})`,
  );
  const labels = e.unsqueeze(e.cast(target, "int64"), channel);
  const kept = e.ne(labels, ignore_index);
  const chosen = b.tensor("aten::scatter.value", {
    self: e.full(self.shape, 0, self.dtype),
    dim: channel,
    index: e.where(kept, labels, 0),
    value: -1,
  });
  const mean = reduction === 1 ? e.div(grad_output, total_weight) : grad_output;
  const grad = mean.shape.length > 0 && mean.shape.length < self.shape.length ? e.unsqueeze(mean, channel) : mean;
  const scaled = weight === null ? grad : e.mul(grad, along(b, weight, self, channel));
  return e.mul(chosen, e.where(kept, scaled, 0));
}
