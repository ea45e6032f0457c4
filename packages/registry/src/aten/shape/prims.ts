import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";

/** Defines ops below those of ATen, which a program has that was decomposed with the table of PyTorch's own compiler. */
export const PRIMS_OPS: readonly OpRecord[] = [
  defineOp(
    "prims::iota(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) -> Tensor",
    {
      decompose({ length, start, step, dtype }, b) {
        check(length >= 0, () => `length must be non-negative, got ${length}`);
        check(step !== 0, "step must be nonzero");
        return b.tensor("aten::arange.start_step", { start, end: start + length * step, step, dtype });
      },
    },
  ),
  defineOp("prims::rev(Tensor a, int[] dims) -> Tensor", {
    decompose: ({ a, dims }, b) => b.tensor("aten::flip", { self: a, dims }),
  }),
  defineOp("prims::add(Tensor self, Tensor other) -> Tensor", {
    decompose: (args, b) => b.tensor("aten::add.Tensor", args),
  }),
  defineOp("prims::mul(Tensor self, Tensor other) -> Tensor", {
    decompose: (args, b) => b.tensor("aten::mul.Tensor", args),
  }),
  defineOp(
    "aten::_efficientzerotensor(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ size, dtype }, b) => b.tensor("aten::zeros", { size, dtype }) },
  ),
  defineOp("aten::_conj_physical(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::conj_physical", { self }),
  }),
];
