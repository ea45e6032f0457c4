import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { broadcast } from "../support/dims.ts";
import { checkFloating, checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

const impure = true;

/** Defines distributions in terms of uniform and normal numbers, and those that a backend provides. */
export const DISTRIBUTION_OPS: readonly OpRecord[] = [
  defineOp("aten::cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { sigma: [Number.MIN_VALUE, Number.POSITIVE_INFINITY] } },
    decompose({ self, median, sigma }, b) {
      const e = emit(b);
      const angle = e.mul(e.sub(uniform(b, self), { float: 0.5 }), { float: Math.PI });
      return e.add(e.mul(b.tensor("aten::tan", { self: angle }), { float: sigma }), { float: median });
    },
  }),
  defineOp("aten::log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { std: [Number.MIN_VALUE, Number.POSITIVE_INFINITY] } },
    decompose: ({ self, mean, std }, b) => emit(b).exp(b.tensor("aten::normal_functional", { self, mean, std })),
  }),
  defineOp("aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", {
    impure,
    requires: { ranges: { p: [Number.MIN_VALUE, 1 - 2 ** -53] } },
    decompose({ self, p }, b) {
      const e = emit(b);
      // The number of trials is the logarithm of a uniform number in (0, 1] divided by that of 1 - p.
      const draw = b.tensor("aten::rand", { size: self.shape, dtype: "float64" });
      const throws = e.div(e.log1p(e.neg(draw)), { float: Math.log1p(-p) });
      return e.cast(e.add(e.floor(throws), { float: 1 }), self.dtype);
    },
  }),
  defineOp("aten::poisson(Tensor self, Generator? generator=None) -> Tensor", {
    impure,
    infer: ({ self }) => like(self),
  }),
  defineOp("aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", {
    impure,
    infer({ count, prob }) {
      checkSameDtype("binomial", count, prob);
      return { ...like(count), shape: broadcast(count.shape, prob.shape) };
    },
  }),
  defineOp("aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", {
    impure,
    infer: ({ self }) => like(self),
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

function like(self: TensorMeta): TensorMeta {
  checkFloating("random numbers of a distribution", self);
  return { dtype: self.dtype, shape: self.shape };
}

function uniform(b: Builder, self: TensorMeta): TensorMeta {
  return b.tensor("aten::rand", { size: self.shape, dtype: self.dtype });
}
