import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";
import { reduceLoss } from "./reduction.ts";

/** Defines losses that keep samples a margin apart. */
export const MARGIN_LOSS_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor",
    {
      decompose: ({ input1, input2, target, margin, reduction }, b) => {
        const e = emit(b);
        const wrong = e.mul(e.neg(target), e.sub(input1, input2));
        return reduceLoss(b, e.clampMin(e.add(wrong, { float: margin }), 0), reduction);
      },
    },
  ),
  defineOp("aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor", {
    decompose: ({ self, target, margin, reduction }, b) => {
      const e = emit(b);
      // PyTorch subtracts from a tensor filled with the margin, so the margin is rounded in half precision.
      const apart = e.clampMin(e.sub(e.full([], { float: margin }, self.dtype), self), 0);
      const loss = e.add(e.where(e.ne(target, 1), apart, 0), e.where(e.ne(target, -1), self, 0));
      return reduceLoss(b, loss, reduction);
    },
  }),
  defineOp(
    "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor",
    {
      decompose: ({ input1, input2, target, margin, reduction }, b) => {
        const e = emit(b);
        const rank = target.shape.length + 1;
        check(
          rank <= 2 && input1.shape.length === rank && input2.shape.length === rank,
          () =>
            `${rank - 1}D target tensor expects ${rank}D input tensors, but found inputs with sizes ${show(input1.shape)} and ${show(input2.shape)}`,
        );
        const dot = (x: TensorMeta, y: TensorMeta): TensorMeta => e.sum(e.mul(x, y), [-1]);
        const size = (x: TensorMeta): TensorMeta => e.add(dot(x, x), { float: 1e-12 });
        const cosine = e.div(dot(input1, input2), e.sqrt(e.mul(size(input1), size(input2))));
        const apart = e.clampMin(e.sub(cosine, { float: margin }), 0);
        const loss = e.add(
          e.where(e.eq(target, 1), e.sub({ float: 1 }, cosine), 0),
          e.where(e.eq(target, -1), apart, 0),
        );
        return reduceLoss(b, loss, reduction);
      },
    },
  ),
  defineOp(
    "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor",
    {
      decompose: ({ anchor, positive, negative, margin, p, eps, swap, reduction }, b) => {
        const e = emit(b);
        const ranks = [anchor, positive, negative].map(({ shape }) => shape.length);
        check(
          new Set(ranks).size === 1,
          () =>
            `The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: ${ranks.join(", ")}`,
        );
        const distance = (x1: TensorMeta, x2: TensorMeta): TensorMeta =>
          b.tensor("aten::pairwise_distance", { x1, x2, p, eps });
        const far = distance(anchor, negative);
        const nearest = swap ? e.minimum(far, distance(positive, negative)) : far;
        return hinge(b, e.sub(distance(anchor, positive), nearest), margin, reduction);
      },
    },
  ),
];

function hinge(b: Builder, difference: TensorMeta, margin: number, reduction: number): TensorMeta {
  const e = emit(b);
  return reduceLoss(b, e.clampMin(e.add(difference, { float: margin }), 0), reduction);
}
