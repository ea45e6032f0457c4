import { emit } from "../aten/support/emit.ts";
import { defineOp } from "../op.ts";
import type { OpSet } from "../op-set.ts";
import type { TensorMeta } from "../tensor-meta.ts";

/** Ops of Hugging Face's transformers in exported programs. */
export const transformers: OpSet = {
  name: "transformers",
  builtIn: true,
  ops: [
    // This op replaces `_grouped_mm` where PyTorch has no kernel for the weights' dtype.
    defineOp("transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor", {
      decompose: ({ input, weight, offs }, b) => b.tensor("aten::_grouped_mm", { self: input, mat2: weight, offs }),
    }),
    defineOp(
      "transformers::grouped_mm_fallback_backward(Tensor input, Tensor weight, Tensor offs, Tensor grad_output) -> (Tensor, Tensor)",
      {
        decompose: ({ input, weight, offs, grad_output }, b) => {
          const e = emit(b);
          const product = (self: TensorMeta, mat2: TensorMeta): TensorMeta =>
            b.tensor("aten::_grouped_mm", { self, mat2, offs });
          return [product(grad_output, e.transpose(weight, 1, 2)), product(e.transpose(input, 0, 1), grad_output)];
        },
      },
    ),
  ],
};
