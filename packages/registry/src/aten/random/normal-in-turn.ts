import { defineOp, type OpRecord } from "../../op.ts";
import type { OpSet } from "../../op-set.ts";
import { firstOf } from "./race.ts";

/**
 * Normal numbers that are drawn one by one, as PyTorch draws those of a tensor that is not contiguous; those of `aten::randn`
 * come in blocks of 16. Of `self` only the shape and the dtype count.
 */
const NORMAL: OpRecord = defineOp(
  "pt2::normal(Tensor self, float mean=0., float std=1., *, ScalarType? dtype=None) -> Tensor",
  {
    impure: true,
    requires: { ranges: { std: [0, Number.POSITIVE_INFINITY] } },
    infer: ({ self, dtype }) => ({ dtype: dtype ?? self.dtype, shape: self.shape }),
  },
);

/** Samples without replacement of odds that are not contiguous in PyTorch's memory, whose waiting times are drawn before. */
const MULTINOMIAL: OpRecord = defineOp("pt2::multinomial(Tensor self, Tensor waits, SymInt num_samples) -> Tensor", {
  decompose: ({ self, waits, num_samples }, b) => firstOf(b, self, waits, num_samples),
});

/** Ops of this project, which only a pass emits. */
export const inTurn: OpSet = { name: "pt2", builtIn: true, ops: [NORMAL, MULTINOMIAL] };
