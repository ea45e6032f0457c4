import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/** Defines dropout; outside training it is the identity. */
export const DROPOUT_OPS: readonly OpRecord[] = [
  defineOp("aten::dropout(Tensor input, float p, bool train) -> Tensor", {
    impure: true,
    decompose: ({ input, p, train }, b) => (active(p, train) ? drop(b, input, input, p) : input),
  }),
  defineOp("aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", {
    impure: true,
    decompose: ({ input, p, train }, b) => (active(p, train) ? drop(b, input, features(b, input), p) : input),
  }),
  defineOp("aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", {
    impure: true,
    infer: ({ input }) => [
      { dtype: input.dtype, shape: input.shape },
      { dtype: "bool", shape: input.shape },
    ],
    decompose: ({ input, p, train }, b) => {
      const e = emit(b);
      if (!active(p, train ?? true)) {
        return [b.tensor("aten::clone", { self: input }), e.full(input.shape, true, "bool")];
      }
      const kept = e.cast(b.tensor("aten::bernoulli.p", { self: input, p: 1 - p }), "bool");
      return [e.mul(e.mul(input, kept), { float: p === 1 ? 0 : 1 / (1 - p) }), kept];
    },
  }),
  defineOp("aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", {
    impure: true,
    decompose: ({ input, p, train }, b) => (active(p, train) ? dropAlpha(b, input, input, p) : input),
  }),
  defineOp("aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", {
    impure: true,
    decompose: ({ input, p, train }, b) => (active(p, train) ? dropAlpha(b, input, features(b, input), p) : input),
  }),
];

function active(p: number, train: boolean): boolean {
  check(p >= 0 && p <= 1, () => `dropout probability has to be between 0 and 1, but got ${p}`);
  return train && p > 0;
}

/** Keeps each element with probability `1 - p`, scaled so that the expected value is unchanged. */
function drop(b: Builder, input: TensorMeta, mask: TensorMeta, p: number): TensorMeta {
  const e = emit(b);
  if (p === 1) return e.mul(input, e.full([], 0, input.dtype));
  const kept = b.tensor("aten::bernoulli.p", { self: mask, p: 1 - p });
  return e.mul(input, e.div(kept, { float: 1 - p }));
}

/** Sets dropped elements to SELU's negative limit, and then restores mean and variance. */
function dropAlpha(b: Builder, input: TensorMeta, mask: TensorMeta, p: number): TensorMeta {
  const e = emit(b);
  if (p === 1) return e.mul(input, 0);
  const alpha = 1.7580993408473766;
  const a = 1 / Math.sqrt((alpha * alpha * p + 1) * (1 - p));
  const kept = e.ne(b.tensor("aten::bernoulli.p", { self: mask, p: 1 - p }), 0);
  const filled = e.where(kept, input, { float: -alpha });
  return e.cast(e.add(e.mul(filled, { float: a }), { float: alpha * a * p }), input.dtype);
}

/** Returns a tensor of the shape of a mask that drops whole channels. */
function features(b: Builder, input: TensorMeta): TensorMeta {
  check(input.shape.length >= 2, "Feature dropout requires at least 2 dimensions in the input");
  const size = input.shape.map((n, d) => (d < 2 ? n : 1));
  return b.tensor("aten::empty.memory_format", { size, dtype: input.dtype });
}
