import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";
import { reduceLoss } from "./reduction.ts";

/** Defines losses that keep the target classes a margin above the others. */
export const CLASS_MARGIN_LOSS_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor",
    {
      requires: { same: ["self", "weight"], kinds: { target: "long" } },
      decompose({ self, target, p, margin, weight, reduction }, b) {
        const e = emit(b);
        check([1, 2].includes(toNumber(p)), "multi_margin_loss: Invalid p, expected 1 or 2");
        const x = rows(b, self);
        const classes = x.shape[1]!;
        check(
          target.shape.length <= 1 && numel(target.shape) === x.shape[0],
          () =>
            `multi_margin_loss: target tensor should be 1-D with size equal to the batch size, ${x.shape[0]}, got ${show(target.shape)}`,
        );
        check(
          weight === null || sameShape(weight.shape, [classes]),
          () => `multi_margin_loss: inconsistent weight size, expected ${classes} but got ${show(weight!.shape)}`,
        );
        const index = e.reshape(target, [x.shape[0]!, 1]);
        const right = b.tensor("aten::gather", { self: x, dim: 1, index });
        // At the margin itself there is no gradient, so this is no `clamp_min`.
        const excess = e.relu(e.add(e.sub(x, right), { float: toNumber(margin) }));
        const power = toNumber(p) === 1 ? excess : e.mul(excess, excess);
        const weighted =
          weight === null
            ? power
            : e.mul(power, e.reshape(b.tensor("aten::take", { self: weight, index }), index.shape));
        const others = e.where(e.eq(index, e.arange(classes, "int64")), 0, weighted);
        // One row has a loss for each of its targets, of which there is one: its shape is theirs.
        const losses = e.reshape(e.div(e.sum(others, [1]), classes), target.shape);
        return reduceLoss(b, losses, reduction);
      },
    },
  ),
  defineOp("aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", {
    requires: { kinds: { target: "long" } },
    decompose: ({ self, target, reduction }, b) => multilabel(b, self, target, reduction)[0],
  }),
  defineOp(
    "aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)",
    {
      requires: { kinds: { target: "long" } },
      decompose: ({ self, target, reduction }, b) => multilabel(b, self, target, reduction),
    },
  ),
];

/** Computes the multilabel loss; the labels of a row are those before its first negative one. */
function multilabel(
  b: Builder,
  self: TensorMeta,
  target: TensorMeta,
  reduction: number,
): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  check(
    sameShape(self.shape, target.shape) ||
      (numel(self.shape) === numel(target.shape) && self.shape.length < 2 && target.shape.length < 2),
    () => `inconsistent target size: ${show(target.shape)} for input of size: ${show(self.shape)}`,
  );
  const [x, labels] = [rows(b, self), rows(b, target)];
  const classes = x.shape[1]!;
  const valid = e.cast(b.tensor("aten::cumprod", { self: e.cast(e.ge(labels, 0), "int64"), dim: 1 }), "bool");
  const known = b.tensor("aten::logical_and", { self: e.ge(labels, -1), other: e.lt(labels, classes) });
  requireData(b, known, `multilabel_margin_loss: target is out of range: labels lie in [-1, ${classes - 1}]`);
  const index = e.where(valid, labels, 0);
  // The labels that do not count mark a class behind the last one.
  const marked = b.tensor("aten::scatter.value", {
    self: e.full([x.shape[0]!, classes + 1], false, "bool"),
    dim: 1,
    index: e.where(valid, labels, classes),
    value: true,
  });
  const isTarget = e.slice(marked, 1, 0, classes);
  const right = b.tensor("aten::gather", { self: x, dim: 1, index });
  const losses = e.div(e.sum(e.where(valid, excesses(b, x, isTarget, right), 0), [1]), classes);
  return [reduceRows(b, losses, self, reduction), e.reshape(e.cast(isTarget, self.dtype), target.shape)];
}

/**
 * Sums, for the score `t` of each label, `1 - t + x` over the other classes for which it is positive. These are the
 * first of the sorted classes, so that running sums do, where comparisons would need all pairs of labels and classes.
 * Differences to the largest of the other classes are added, which are small wherever the result is.
 */
function excesses(b: Builder, x: TensorMeta, isTarget: TensorMeta, right: TensorMeta): TensorMeta {
  const e = emit(b);
  const classes = x.shape[1]!;
  if (classes === 0) return right;
  const least = { float: Number.NEGATIVE_INFINITY };
  // PyTorch adds no excess that is NaN.
  const counts = b.tensor("aten::logical_and", {
    self: e.eq(x, x),
    other: b.tensor("aten::logical_not", { self: isTarget }),
  });
  const others = e.where(counts, x, least);
  const largest = e.amax(others, [1], true);
  const center = e.where(e.lt(e.abs(largest), { float: Number.POSITIVE_INFINITY }), largest, 0);
  const below = b.tensor("aten::sort.stable", { self: e.sub(center, others), stable: true, dim: 1 });
  const reach = e.add(e.sub(center, right), { float: 1 });
  const count = b.tensor("aten::searchsorted.Tensor", { sorted_sequence: below, self: reach });
  const sums = b.tensor("aten::cumsum", { self: below, dim: 1 });
  const sum = b.tensor("aten::gather", { self: sums, dim: 1, index: e.clampMin(e.sub(count, 1), 0) });
  const has = b.tensor("aten::logical_and", { self: e.gt(count, 0), other: e.eq(right, right) });
  return e.where(has, e.sub(e.mul(reach, count), sum), 0);
}

function rows(b: Builder, self: TensorMeta): TensorMeta {
  check(self.shape.length <= 2, () => `Expected a vector or a matrix, got ${show(self.shape)}`);
  return self.shape.length === 2 ? self : emit(b).reshape(self, [1, self.shape[0] ?? 1]);
}

/** Reduces the losses of rows; the loss of a single row is 0-d. */
function reduceRows(b: Builder, losses: TensorMeta, self: TensorMeta, reduction: number): TensorMeta {
  return reduceLoss(b, self.shape.length === 2 ? losses : emit(b).reshape(losses, []), reduction);
}
