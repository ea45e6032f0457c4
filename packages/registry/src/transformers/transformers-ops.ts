import { defineOp } from "../op.ts";
import type { OpSet } from "../op-set.ts";

/** Ops of Hugging Face's transformers in exported programs. */
export const transformers: OpSet = {
  name: "transformers",
  builtIn: true,
  ops: [
    // This op replaces `_grouped_mm` where PyTorch has no kernel for the weights' dtype.
    defineOp("transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor", {
      decompose: ({ input, weight, offs }, b) => b.tensor("aten::_grouped_mm", { self: input, mat2: weight, offs }),
    }),
  ],
};
