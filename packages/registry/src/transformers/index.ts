import { defineOp } from "../op.ts";
import type { OpSet } from "../op-set.ts";

/** Ops that exported programs of Hugging Face's transformers contain. */
export const transformers: OpSet = {
  name: "transformers",
  builtIn: true,
  ops: [
    // What `_grouped_mm` is where PyTorch has no kernel of it for the weights' dtype.
    defineOp("transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor", {
      decompose: ({ input, weight, offs }, b) => b.tensor("aten::_grouped_mm", { self: input, mat2: weight, offs }),
    }),
  ],
};
