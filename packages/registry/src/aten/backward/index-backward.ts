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
  ...([1, 2, 3] as const).map((rank) =>
    defineOp(
      `aten::replication_pad${rank}d_backward(Tensor grad_output, Tensor self, SymInt[${2 * rank}] padding) -> Tensor`,
      {
        // One dimension after another: what lies outside belongs to the element at the border.
        decompose: ({ grad_output, self, padding }, b) => {
          const e = emit(b);
          const pads = padding as readonly number[];
          const source = self as TensorMeta;
          return Array.from({ length: rank }, (_, i) => i).reduce((grad, i) => {
            const dim = grad.shape.length - 1 - i;
            const size = source.shape[dim]!;
            const positions = e.sub(e.arange(grad.shape[dim]!, "int64"), pads[2 * i]!);
            const index = b.tensor("aten::clamp", { self: positions, min: 0, max: size - 1 });
            const shape = grad.shape.map((n, d) => (d === dim ? size : n));
            const zeros = e.full(shape, 0, grad.dtype);
            return b.tensor("aten::index_add", { self: zeros, dim, index, source: grad });
          }, grad_output as TensorMeta);
        },
      },
    ),
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
