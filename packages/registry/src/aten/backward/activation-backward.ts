import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines the gradients of activations that are no function of one element alone, or that have two. */
export const ACTIVATION_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp("aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor", {
    // y = a σ(b)
    decompose: ({ grad_output, self, dim }, b) => {
      const e = emit(b);
      const d = wrapDim(dim, self.shape.length);
      const half = self.shape[d]! / 2;
      const gate = e.sigmoid(e.slice(self, d, half, 2 * half));
      const grad = e.mul(grad_output, gate);
      const slope = e.mul(e.mul(grad, e.sub({ float: 1 }, gate)), e.slice(self, d, 0, half));
      return e.cat([grad, slope], d);
    },
  }),
  defineOp("aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor", {
    // The derivative is σ(-x). The forward op leaves a buffer on CPUs only.
    decompose: ({ grad_output, self }, b) => emit(b).mul(grad_output, emit(b).sigmoid(emit(b).neg(self))),
  }),
  defineOp("aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)", {
    decompose: ({ grad_output, self, weight }, b) => {
      const e = emit(b);
      const above = e.gt(self, 0);
      return [
        e.where(above, grad_output, e.mul(weight, grad_output)),
        e.where(above, { float: 0 }, e.mul(self, grad_output)),
      ];
    },
  }),
  defineOp("aten::cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor", {
    // Σ of grad ∘ output from each element on, divided by the element. Behind the first zero nothing depends on it; at that
    // zero itself the products go on as if it were one.
    decompose: ({ grad, input, dim, output }, b) => {
      const e = emit(b);
      if (input.shape.length === 0) return grad;
      const d = wrapDim(dim, input.shape.length);
      const sums = (x: TensorMeta): TensorMeta => b.tensor("aten::cumsum", { self: x, dim: d });
      const flipped = (x: TensorMeta): TensorMeta => b.tensor("aten::flip", { self: x, dims: [d] });
      const reverseCumsum = (x: TensorMeta): TensorMeta => flipped(sums(flipped(x)));
      const isZero = e.eq(input, 0);
      const isFirst = b.tensor("aten::logical_and", { self: isZero, other: e.eq(sums(e.cast(isZero, "int64")), 1) });
      const replaced = e.where(isFirst, { float: 1 }, input);
      const products = b.tensor("aten::cumprod", { self: e.cast(replaced, input.dtype), dim: d });
      const atZero = e.where(isFirst, reverseCumsum(e.mul(grad, products)), { float: 0 });
      const divisor = e.where(isZero, { float: 1 }, input);
      return e.where(isZero, atZero, e.div(reverseCumsum(e.mul(grad, output)), divisor));
    },
  }),
];
