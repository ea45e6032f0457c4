import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { wrapDim } from "../support/dims.ts";
import { isIntegral, toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

const FACTORY = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";

/** Defines ops of which PyTorch has others that do the same, and which few programs have. */
export const SYNONYM_OPS: readonly OpRecord[] = [
  defineOp("aten::_stack(Tensor[] tensors, int dim=0) -> Tensor", {
    decompose: ({ tensors, dim }, b) => b.tensor("aten::stack", { tensors, dim }),
  }),
  defineOp("aten::to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor", {
    decompose: ({ self, dtype }, b) => emit(b).cast(self, dtype ?? self.dtype),
  }),
  defineOp("aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", {
    decompose: ({ self, dtype }, b) => b.tensor("aten::view.dtype", { self, dtype }),
  }),
  defineOp("aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", {
    decompose: ({ self, other, alpha }, b) => emit(b).relu(b.tensor("aten::add.Tensor", { self, other, alpha })),
  }),
  defineOp("aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", {
    decompose: ({ self, other, alpha }, b) => emit(b).relu(b.tensor("aten::add.Scalar", { self, other, alpha })),
  }),
  defineOp(`aten::range(Scalar start, Scalar end, *, ${FACTORY}) -> Tensor`, {
    decompose: ({ start, end, dtype }, b) => range(b, { start, end, step: 1, dtype }),
  }),
  defineOp(`aten::range.step(Scalar start, Scalar end, Scalar step=1, *, ${FACTORY}) -> Tensor`, {
    decompose: ({ start, end, step, dtype }, b) => range(b, { start, end, step, dtype }),
  }),
  defineOp("aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)", {
    requires: { kinds: { start: "index" }, ranks: { start: [0] } },
    decompose({ self, dim, start, length }, b) {
      const e = emit(b);
      const at = wrapDim(dim, self.shape.length);
      const size = self.shape[at]!;
      check(length >= 0 && length <= size, () => `narrow(): length must be between 0 and ${size}, got ${length}`);
      const first = e.where(e.lt(start, 0), e.add(start, size), start);
      return b.tensor("aten::index_select", { self, dim: at, index: e.add(e.arange(length, "int64"), first) });
    },
  }),
];

interface Range {
  readonly start: Scalar;
  readonly end: Scalar;
  readonly step: Scalar;
  readonly dtype: TensorMeta["dtype"] | null;
}

/** Counts as `arange` does, with the end among the numbers if a step gets there; float32 unless something else is asked for. */
function range(b: Builder, { start, end, step, dtype }: Range): TensorMeta {
  const type = dtype ?? DEFAULT_DTYPE;
  const number = (x: Scalar): number => (isIntegral(type) ? Math.trunc(toNumber(x)) : toNumber(x));
  const [from, to, by] = [number(start), number(end), number(step)];
  check(by !== 0, "step must be nonzero");
  check(by > 0 ? to >= from : to <= from, "upper bound and lower bound inconsistent with step sign");
  const count = Math.floor((to - from) / by) + 1;
  // Half a step behind the last number, or as much of one as an integer has.
  const behind = from + (count - 1) * by + (isIntegral(type) ? Math.sign(by) : by / 2);
  const scalar = (x: number): Scalar => (isIntegral(type) ? x : { float: x });
  const bounds = { start: scalar(from), end: scalar(behind), step: scalar(by) };
  return b.tensor("aten::arange.start_step", { ...bounds, dtype: type });
}
