import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape } from "../support/dims.ts";
import { checkIndex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines backward ops that add each gradient at the place that the forward op read. */
export const INDEX_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp("aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor", {
    decompose: ({ grad_output, self, indices }, b) => addedAt(b, grad_output, self, indices, 2),
  }),
  defineOp("aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor", {
    decompose: ({ grad_output, self, indices }, b) => addedAt(b, grad_output, self, indices, 3),
  }),
  defineOp(
    "aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    { decompose: ({ grad_output, self, indices }, b) => addedAt(b, grad_output, self, indices, 3) },
  ),
  defineOp(
    "aten::fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor",
    { decompose: ({ grad_output, self, indices }, b) => addedAt(b, grad_output, self, indices, 2) },
  ),
  defineOp(
    "aten::fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor",
    { decompose: ({ grad_output, self, indices }, b) => addedAt(b, grad_output, self, indices, 3) },
  ),
];

/** Adds gradients to the elements whose positions within the last dimensions `indices` has. */
function addedAt(b: Builder, grad: TensorMeta, self: TensorMeta, indices: TensorMeta, spatial: number): TensorMeta {
  const e = emit(b);
  checkIndex("max_pool_backward", indices, false);
  check(
    sameShape(grad.shape, indices.shape),
    () => `expected indices of shape ${show(grad.shape)}, got ${show(indices.shape)}`,
  );
  const rows = numel(self.shape.slice(0, -spatial));
  const flat = (x: TensorMeta): TensorMeta => e.reshape(x, [rows, numel(x.shape.slice(-spatial))]);
  const zeros = e.full([rows, numel(self.shape.slice(-spatial))], 0, self.dtype);
  const added = b.tensor("aten::scatter_add", { self: zeros, dim: 1, index: flat(indices), src: flat(grad) });
  return e.reshape(added, self.shape);
}
