import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

/** Defines copies, and ops that need not copy because nothing writes to lowered tensors. */
export const COPY_OPS: readonly OpRecord[] = [
  defineOp("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", {
    scalar: (x) => x,
    promote: { kind: "first" },
  }),
  defineOp("aten::lift_fresh_copy(Tensor self) -> Tensor", { decompose: ({ self }) => self }),
  defineOp("aten::lift_fresh(Tensor(a) self) -> Tensor(a)", { decompose: ({ self }) => self }),
  defineOp("aten::lift(Tensor self) -> Tensor", { decompose: ({ self }) => self }),
  defineOp("aten::detach(Tensor(a) self) -> Tensor(a)", { decompose: ({ self }) => self }),
  defineOp("aten::detach_copy(Tensor self) -> Tensor", { decompose: ({ self }) => self }),
  defineOp("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", {
    decompose: ({ self }) => self,
  }),
  defineOp("aten::positive(Tensor(a) self) -> Tensor(a)", { decompose: ({ self }) => self }),
  defineOp("aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)", { decompose: ({ self }) => self }),
  defineOp("aten::data(Tensor self) -> Tensor", { decompose: ({ self }) => self }),
  defineOp("aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", {
    decompose: ({ self, src }, b) => like(self, src, b),
  }),
  defineOp("aten::fill.Tensor(Tensor self, Tensor value) -> Tensor", {
    requires: { ranks: { value: [0] } },
    decompose: ({ self, value }, b) => like(self, value, b),
  }),
  defineOp("aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", {
    requires: { elements: { value: "self" } },
    decompose: ({ self, value }, b) => emit(b).full(self.shape, value, self.dtype),
  }),
  defineOp("aten::zero(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => emit(b).full(self.shape, 0, self.dtype),
  }),
];

/** Converts `source` to the dtype and shape of `target`. */
function like(target: TensorMeta, source: TensorMeta, b: Builder): TensorMeta {
  const { cast, expand } = emit(b);
  const converted = source.wrapped === undefined ? cast(source, target.dtype) : number(source, target, b);
  return expand(converted, target.shape);
}

function number({ wrapped }: TensorMeta, { dtype }: TensorMeta, b: Builder): TensorMeta {
  return b.tensor("aten::scalar_tensor", { s: wrapped ?? 0, dtype });
}
