import { defineOp, type OpRecord } from "../../op.ts";

/** Defines ops that PyTorch traces in programs of second derivatives. */
export const SECOND_ORDER_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_efficientzerotensor(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    { decompose: ({ size, dtype }, b) => b.tensor("aten::zeros", { size, dtype }) },
  ),
  defineOp("aten::_conj_physical(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => b.tensor("aten::conj_physical", { self }),
  }),
];
