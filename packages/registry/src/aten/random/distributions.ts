import { defineOp, type OpRecord } from "../../op.ts";
import { broadcast } from "../support/dims.ts";
import { checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { randomLike } from "./noise.ts";

const impure = true;

/** Defines distributions, which a backend provides. */
export const DISTRIBUTION_OPS: readonly OpRecord[] = [
  defineOp("aten::exponential(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { lambd: [Number.MIN_VALUE, Number.POSITIVE_INFINITY] } },
    infer: ({ self }) => randomLike(self),
  }),
  defineOp("aten::cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { sigma: [Number.MIN_VALUE, Number.POSITIVE_INFINITY] } },
    infer: ({ self }) => randomLike(self),
  }),
  defineOp("aten::log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { std: [Number.MIN_VALUE, Number.POSITIVE_INFINITY] } },
    infer: ({ self }) => randomLike(self),
  }),
  defineOp("aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { p: [Number.MIN_VALUE, 1 - 2 ** -53] } },
    infer: ({ self: { dtype, shape } }) => ({ dtype, shape }),
  }),
  defineOp("aten::poisson(Tensor self, Generator? generator=None) -> Tensor", {
    impure,
    infer: ({ self }) => randomLike(self),
  }),
  defineOp("aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", {
    impure,
    infer({ count, prob }) {
      checkSameDtype("binomial", count, prob);
      return { ...randomLike(count), shape: broadcast(count.shape, prob.shape) };
    },
  }),
  defineOp("aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", {
    impure,
    infer: ({ self }) => randomLike(self),
  }),
  defineOp("aten::_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor", {
    impure,
    decompose({ self }, b) {
      const e = emit(b);
      const parts = b.tensor("aten::_standard_gamma", { self });
      return e.div(parts, e.sum(parts, [-1], true));
    },
  }),
];
