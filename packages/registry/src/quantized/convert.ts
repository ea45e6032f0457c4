import { defineOp, type OpRecord } from "../op.ts";

/** Defines conversions that the exporter's passes leave in place. */
export const CONVERT_OPS: readonly OpRecord[] = [
  defineOp("quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor", {
    decompose: ({ input, dtype }, b) => b.tensor("aten::_to_copy", { self: input, dtype }),
  }),
];
