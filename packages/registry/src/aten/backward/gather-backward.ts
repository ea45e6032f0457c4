import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { broadcast, numel } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines the gradients of ops that read elements at indices: each goes where its element was read. */
export const GATHER_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp("aten::gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor", {
    decompose: ({ grad, self, dim, index, sparse_grad }, b) => {
      requireDense("gather", sparse_grad);
      return scattered(b, grad, self.shape, { dim, index });
    },
  }),
  defineOp("aten::index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor", {
    decompose: ({ grad: source, self_sizes, dim, index }, b) =>
      b.tensor("aten::index_add", { self: emit(b).full(self_sizes, 0, source.dtype), dim, index, source }),
  }),
  defineOp(
    "aten::value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) -> Tensor",
    {
      decompose: ({ grad, dim, indices, sizes, keepdim }, b) => {
        const e = emit(b);
        const kept = (x: TensorMeta): TensorMeta => (keepdim || sizes.length === 0 ? x : e.unsqueeze(x, dim));
        const self = e.full(sizes, 0, grad.dtype);
        return b.tensor("aten::scatter.src", { self, dim, index: kept(indices), src: kept(grad) });
      },
    },
  ),
  defineOp("aten::cummaxmin_backward(Tensor grad, Tensor input, Tensor indices, int dim) -> Tensor", {
    decompose: ({ grad, input, indices: index, dim }, b) => scattered(b, grad, input.shape, { dim, index }),
  }),
  defineOp("aten::masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor", {
    decompose: ({ grad: source, input, mask }, b) => {
      const self = emit(b).full(broadcast(input.shape, mask.shape), 0, source.dtype);
      return b.tensor("aten::masked_scatter", { self, mask, source });
    },
  }),
  defineOp("aten::masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor", {
    decompose: ({ grad_output: grad, mask, sizes }, b) => {
      const e = emit(b);
      const [count, most] = [numel(grad.shape), numel(sizes)];
      const chosen = e.reshape(e.expand(mask, grad.shape), [count]);
      // The k-th element that was written came from the k-th of the source; what was not written goes behind the last.
      const rank = e.sub(b.tensor("aten::cumsum", { self: e.cast(chosen, "int64"), dim: 0 }), 1);
      const place = b.tensor("aten::clamp", { self: e.where(chosen, rank, most), min: 0, max: most });
      const self = e.full([most + 1], 0, grad.dtype);
      const made = b.tensor("aten::scatter.src", { self, dim: 0, index: place, src: e.reshape(grad, [count]) });
      return e.reshape(e.slice(made, 0, 0, most), sizes);
    },
  }),
  defineOp(
    "aten::embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq, bool sparse) -> Tensor",
    {
      decompose: ({ grad: grad_output, sparse, ...embedding }, b) => {
        requireDense("embedding", sparse);
        return b.tensor("aten::embedding_dense_backward", { grad_output, ...embedding });
      },
    },
  ),
];

function requireDense(op: string, sparse: boolean): void {
  check(!sparse, () => `${op}: sparse gradients are not supported`);
}

function scattered(
  b: Builder,
  src: TensorMeta,
  shape: readonly number[],
  at: { readonly dim: number; readonly index: TensorMeta },
): TensorMeta {
  return b.tensor("aten::scatter_add", { self: emit(b).full(shape, 0, src.dtype), src, ...at });
}
