import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines the gradients of views: zeros, with the gradient of the view where the view lay. */
export const VIEW_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor",
    {
      decompose: ({ grad_output: src, input_sizes, ...slice }, b) =>
        b.tensor("aten::slice_scatter", { self: zeros(b, src, input_sizes), src, ...slice }),
    },
  ),
  defineOp("aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor", {
    decompose: ({ grad_output: src, input_sizes, ...select }, b) =>
      b.tensor("aten::select_scatter", { self: zeros(b, src, input_sizes), src, ...select }),
  }),
  defineOp(
    "aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
    {
      decompose: ({ grad_output: src, input_sizes, ...diagonal }, b) =>
        b.tensor("aten::diagonal_scatter", { self: zeros(b, src, input_sizes), src, ...diagonal }),
    },
  ),
  defineOp("aten::trace_backward(Tensor grad, SymInt[] sizes) -> Tensor", {
    decompose: ({ grad, sizes }, b) => {
      const src = emit(b).expand(grad, [Math.min(...sizes)]);
      return b.tensor("aten::diagonal_scatter", { self: zeros(b, grad, sizes), src });
    },
  }),
  defineOp("aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor", {
    // Windows overlap, so that an element gets the gradients of all that it lay in.
    decompose: ({ grad_in, input_sizes, dim, size, step }, b) => {
      const e = emit(b);
      if (input_sizes.length === 0) return e.reshape(grad_in, []);
      const d = wrapDim(dim, input_sizes.length);
      const positions = e.arange(input_sizes[d]!, "int64");
      const windows = b.tensor("aten::unfold", { self: positions, dimension: 0, size, step });
      const index = e.reshape(windows, [numel(windows.shape)]);
      const beside = b.tensor("aten::movedim.int", { self: grad_in, source: -1, destination: d + 1 });
      const shape = [...input_sizes.slice(0, d), index.shape[0]!, ...input_sizes.slice(d + 1)];
      const self = zeros(b, grad_in, input_sizes);
      return b.tensor("aten::index_add", { self, dim: d, index, source: e.reshape(beside, shape) });
    },
  }),
];

function zeros(b: Builder, { dtype }: TensorMeta, shape: readonly number[]): TensorMeta {
  return emit(b).full(shape, 0, dtype);
}
