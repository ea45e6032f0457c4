import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { reduceLoss } from "./reduction.ts";

interface Nll {
  readonly self: TensorMeta;
  readonly target: TensorMeta;
  readonly weight: TensorMeta | null;
  readonly reduction: number;
  readonly ignore_index: number;
}

/** Defines losses with class indices or probabilities as targets. */
export const CLASSIFICATION_LOSS_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
    {
      requires: { same: ["self", "weight"], kinds: { target: "label" } },
      decompose: (args, b) => negativeLogLikelihood(b, args),
    },
  ),
  defineOp(
    "aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
    {
      requires: { same: ["self", "weight"], kinds: { target: "label" } },
      decompose: (args, b) => negativeLogLikelihood(b, args),
    },
  ),
  defineOp(
    "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor",
    {
      requires: { same: ["self", "weight"], kinds: { target: "label" } },
      decompose: (args, b) => negativeLogLikelihood(b, args)[0],
    },
  ),
  defineOp(
    "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor",
    {
      requires: { same: ["self", "weight"], kinds: { target: "label" } },
      decompose: (args, b) => negativeLogLikelihood(b, args)[0],
    },
  ),
  defineOp(
    "aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor",
    {
      requires: { same: ["self", "weight"], kinds: { target: "label" } },
      decompose: (args, b) => negativeLogLikelihood(b, args)[0],
    },
  ),
  defineOp(
    "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor",
    {
      requires: { same: ["self", "weight"] },
      decompose: ({ label_smoothing, ...args }, b) => {
        const channel = classDim(args.self);
        const self = b.tensor("aten::log_softmax.int", { self: args.self, dim: channel });
        const classes = args.self.shape[channel]!;
        if (sameShape(args.self.shape, args.target.shape))
          return withProbabilities(b, { ...args, self }, channel, label_smoothing / classes);
        check(
          args.target.dtype === "int64" || args.target.dtype === "uint8",
          () => `expected target dtype to be int64 or uint8, but got ${args.target.dtype}`,
        );
        const plain = negativeLogLikelihood(b, { ...args, self })[0];
        if (label_smoothing === 0) return plain;
        const e = emit(b);
        const smooth = smoothness(b, { ...args, self }, channel);
        return e.add(e.mul(plain, { float: 1 - label_smoothing }), e.mul(smooth, { float: label_smoothing / classes }));
      },
    },
  ),
];

export function classDim(self: TensorMeta): number {
  check(self.shape.length >= 1, "expected a tensor with a class dimension, got a 0-d tensor");
  return self.shape.length === 1 ? 0 : 1;
}

/** Expands the weights of the classes along `channel` of `like`. */
export function along(b: Builder, weight: TensorMeta, like: TensorMeta, channel: number): TensorMeta {
  const classes = like.shape[channel]!;
  check(
    sameShape(weight.shape, [classes]),
    () =>
      `weight tensor should be defined either for all ${classes} classes or no classes but got weight tensor of shape: ${show(weight.shape)}`,
  );
  return emit(b).reshape(
    weight,
    like.shape.map((n, d) => (d === channel ? n : 1)),
  );
}

/** Returns the loss, and the total weight that its mean divides by. */
function negativeLogLikelihood(
  b: Builder,
  { self, target, weight, reduction, ignore_index }: Nll,
): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  const channel = classDim(self);
  const expected = self.shape.filter((_, d) => d !== channel);
  check(
    sameShape(expected, target.shape),
    () => `size mismatch (got input: ${show(self.shape)}, target: ${show(target.shape)})`,
  );
  const kept = e.ne(target, ignore_index);
  const index = e.unsqueeze(e.where(kept, target, 0), channel);
  const pick = (x: TensorMeta): TensorMeta =>
    e.squeeze(b.tensor("aten::gather", { self: x, dim: channel, index }), channel);
  const weights = weight === null ? null : along(b, weight, self, channel);
  const scores = pick(weights === null ? self : e.mul(self, weights));
  const loss = e.where(kept, e.neg(scores), 0);
  if (reduction === 0) return [loss, e.full([], 0, self.dtype)];
  const total = weights === null ? e.cast(kept, self.dtype) : e.where(kept, pick(e.expand(weights, self.shape)), 0);
  const divisor = e.sum(total, []);
  return [reduction === 1 ? e.div(e.sum(loss, []), divisor) : e.sum(loss, []), divisor];
}

/** Computes the loss for targets that are a distribution over the classes. */
function withProbabilities(
  b: Builder,
  { self, target, weight, reduction }: Nll,
  channel: number,
  smoothing: number,
): TensorMeta {
  const e = emit(b);
  const classes = self.shape[channel]!;
  const smoothed =
    smoothing === 0 ? target : e.add(e.mul(target, { float: 1 - smoothing * classes }), { float: smoothing });
  const product = e.mul(self, smoothed);
  const loss = e.neg(weight === null ? product : e.mul(product, along(b, weight, self, channel)));
  if (reduction === 1) return e.div(e.sum(loss, []), { float: numel(self.shape) / classes });
  return reduction === 2 ? e.sum(loss, []) : e.sum(loss, [channel]);
}

/** Computes the term that label smoothing adds: the loss against all classes equally. */
function smoothness(b: Builder, { self, target, weight, reduction, ignore_index }: Nll, channel: number): TensorMeta {
  const e = emit(b);
  const weights = weight === null ? null : along(b, weight, self, channel);
  const all = e.neg(e.sum(weights === null ? self : e.mul(self, weights), [channel]));
  const kept = e.ne(target, ignore_index);
  const loss = e.where(kept, all, 0);
  if (reduction !== 1) return reduceLoss(b, loss, reduction);
  const unit = { self: b.tensor("aten::zeros_like", { self }), target, weight, reduction, ignore_index };
  return e.div(e.sum(loss, []), negativeLogLikelihood(b, unit)[1]);
}
