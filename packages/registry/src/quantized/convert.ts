import { defineOp, type OpRecord } from "../op.ts";

/** Conversions that passes of the exporter leave alone. */
export const CONVERT_OPS: readonly OpRecord[] = [
  defineOp("quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor", {
    decompose: ({ input, dtype }, b) => b.tensor("aten::_to_copy", { self: input, dtype }),
  }),
];
