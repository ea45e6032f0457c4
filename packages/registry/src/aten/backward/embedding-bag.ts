import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { countUpTo } from "../support/count-up-to.ts";
import { emit } from "../support/emit.ts";

/** Defines the backward ops of bags of embeddings. */
export const EMBEDDING_BAG_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
    {
      requires: { kinds: { grad: "float", indices: "index" } },
      validate: ({ sparse }) => (sparse ? "sparse gradients are not supported: use sparse=False" : null),
      infer: ({ grad, num_weights }) => ({ dtype: grad.dtype, shape: [num_weights, grad.shape[1]!] }),
      decompose: (args, b) => (args.mode === 2 ? ofMaximum(b, args) : ofSum(b, args)),
    },
  ),
  defineOp(
    "aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor",
    {
      requires: { kinds: { grad: "float", indices: "index" } },
      infer: ({ grad, indices }) => ({ dtype: grad.dtype, shape: indices.shape }),
      decompose: ({ grad, weight, indices, offsets, padding_idx }, b) => {
        const e = emit(b);
        const rows = b.tensor("aten::embedding", { weight, indices });
        const product = e.sum(e.mul(ofEachIndex(b, grad, indices, offsets).grad, rows), [1]);
        return padding_idx < 0 ? product : e.where(e.ne(indices, padding_idx), product, 0);
      },
    },
  ),
];

interface BagGradient {
  readonly grad: TensorMeta;
  readonly indices: TensorMeta;
  readonly offsets: TensorMeta;
  readonly bag_size: TensorMeta;
  readonly maximum_indices: TensorMeta;
  readonly num_weights: number;
  readonly scale_grad_by_freq: boolean;
  /** 0 is sum, 1 is mean, 2 is max. */
  readonly mode: number;
  readonly per_sample_weights: TensorMeta | null;
  readonly padding_idx: number;
}

/** Returns the bag of each index, and its gradient. `offset2bag` says the same, but is empty for plain sums. */
function ofEachIndex(
  b: Builder,
  grad: TensorMeta,
  indices: TensorMeta,
  offsets: TensorMeta,
): { readonly bag: TensorMeta; readonly grad: TensorMeta } {
  const e = emit(b);
  // The last offset may be the end of the last bag.
  const starts = e.slice(offsets, 0, 0, grad.shape[0]!);
  const bag = e.sub(countUpTo(b, starts, indices.shape[0]!), 1);
  return { bag, grad: b.tensor("aten::index_select", { self: grad, dim: 0, index: bag }) };
}

function ofSum(b: Builder, args: BagGradient): TensorMeta {
  const { indices, num_weights, mode, per_sample_weights, padding_idx, scale_grad_by_freq } = args;
  const e = emit(b);
  const { bag, grad } = ofEachIndex(b, args.grad, indices, args.offsets);
  let each = grad;
  if (mode === 1) {
    const size = b.tensor("aten::index_select", { self: e.clampMin(args.bag_size, 1), dim: 0, index: bag });
    each = e.div(each, e.unsqueeze(size, 1));
  }
  if (per_sample_weights !== null) each = e.mul(each, e.unsqueeze(per_sample_weights, 1));
  if (scale_grad_by_freq) {
    // PyTorch 2.13 divides by the frequencies of other rows on the CPU: it reads them by the position in a sorted list.
    const ones = e.full([indices.shape[0]!], 1, "int64");
    const zeros = e.full([num_weights], 0, "int64");
    const counts = b.tensor("aten::index_add", { self: zeros, dim: 0, index: indices, source: ones });
    each = e.div(each, e.unsqueeze(b.tensor("aten::index_select", { self: counts, dim: 0, index: indices }), 1));
  }
  if (padding_idx >= 0) each = e.where(e.unsqueeze(e.ne(indices, padding_idx), 1), each, 0);
  const self = e.full([num_weights, args.grad.shape[1]!], 0, args.grad.dtype);
  return b.tensor("aten::index_add", { self, dim: 0, index: indices, source: each });
}

/** Each column of a bag has its maximum in another row. An empty bag has none. */
function ofMaximum(b: Builder, { grad, bag_size, maximum_indices, num_weights }: BagGradient): TensorMeta {
  const e = emit(b);
  const src = e.where(e.unsqueeze(e.gt(bag_size, 0), 1), grad, 0);
  const self = e.full([num_weights, grad.shape[1]!], 0, grad.dtype);
  return b.tensor("aten::scatter_add", { self, dim: 0, index: e.cast(maximum_indices, "int64"), src });
}
