import { normalDim } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

/** Defines the backward op of PyTorch's attention on CPUs, and that of weight normalization. */
export const ATTENTION_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
    {
      requires: { same: ["grad_out", "query", "key", "value", "out"], ranges: { dropout_p: [0, 0] } },
      // With S = QKᵀ and P = softmax(S): dV = Pᵀ dO, dS = P ∘ (dO Vᵀ - rowsum(dO ∘ O)), dQ = dS K, dK = dSᵀ Q.
      decompose: ({ grad_out, query, key, value, out, logsumexp, is_causal, attn_mask, scale }, b) => {
        const e = emit(b);
        const heads = query.shape.length === 4 ? query.shape[1]! : 1;
        const [grad, q, o] = [grad_out, query, out].map(e.wide);
        const [k, v] = [key, value].map((x) => repeated(b, e.wide(x), heads));
        const transposed = (x: TensorMeta): TensorMeta => e.transpose(x, -2, -1);
        const product = (self: TensorMeta, other: TensorMeta): TensorMeta => b.tensor("aten::matmul", { self, other });
        const factor = { float: scale ?? 1 / Math.sqrt(query.shape.at(-1)!) };
        const scores = e.mul(product(q!, transposed(k!)), factor);
        // PyTorch's decomposition of the forward op returns the weights in place of their logarithmic sums, and so does
        // every program of forward and backward that it makes.
        const weights =
          logsumexp.shape.length === query.shape.length
            ? e.wide(logsumexp)
            : weightsOf(b, scores, { logsumexp, is_causal, attn_mask });
        const rowSums = e.sum(e.mul(grad!, o!), [-1], true);
        const change = e.mul(e.mul(weights, e.sub(product(grad!, transposed(v!)), rowSums)), factor);
        // Programs view the gradients with the heads beside the channels, as PyTorch's kernel stores them.
        const stored = (x: TensorMeta, like: TensorMeta): TensorMeta => {
          const self = e.transpose(e.cast(x, like.dtype), 1, 2);
          return e.transpose(b.tensor("aten::clone", { self, memory_format: "contiguous_format" }), 1, 2);
        };
        return [
          stored(product(change, k!), query),
          stored(summed(b, product(transposed(change), q!), key), key),
          stored(summed(b, product(transposed(weights), grad!), value), value),
        ];
      },
    },
  ),
  defineOp(
    "aten::_weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)",
    {
      // w = g v / |v|
      decompose: ({ grad_w, saved_v, saved_g, saved_norms, dim }, b) => {
        const e = emit(b);
        const kept = normalDim(dim, saved_v.shape.length);
        const others = [...saved_v.shape.keys()].filter((d) => d !== kept);
        const along = e.sum(e.mul(grad_w, saved_v), others, true);
        const unit = e.div(saved_v, saved_norms);
        const slope = e.div(e.mul(unit, along), saved_norms);
        const gradV = e.mul(e.div(saved_g, saved_norms), e.sub(grad_w, slope));
        return [gradV, e.reshape(e.div(along, saved_norms), saved_g.shape)];
      },
    },
  ),
];

/** Repeats heads that several heads of the query read, each beside itself. */
function repeated(b: Builder, x: TensorMeta, heads: number): TensorMeta {
  const own = x.shape[1]!;
  if (x.shape.length !== 4 || own === heads || own === 0) return x;
  const [batch, , length, channels] = x.shape as readonly [number, number, number, number];
  const e = emit(b);
  const each = e.expand(e.unsqueeze(x, 2), [batch, own, Math.floor(heads / own), length, channels]);
  return e.reshape(each, [batch, heads, length, channels]);
}

/** Adds up the gradients of heads that were repeated. */
function summed(b: Builder, grad: TensorMeta, { shape }: TensorMeta): TensorMeta {
  const [own, heads] = [shape[1]!, grad.shape[1]!];
  if (shape.length !== 4 || own === heads || own === 0) return grad;
  const [batch, , ...rest] = grad.shape;
  const e = emit(b);
  return e.sum(e.reshape(grad, [batch!, own, heads / own, ...rest]), [2]);
}

interface Attention {
  readonly logsumexp: TensorMeta;
  readonly is_causal: boolean;
  readonly attn_mask: TensorMeta | null;
}

/** Computes the softmax of masked scores again; a row that sees nothing has no weights. */
function weightsOf(b: Builder, scores: TensorMeta, { logsumexp, is_causal, attn_mask }: Attention): TensorMeta {
  const e = emit(b);
  const isBool = attn_mask?.dtype === "bool";
  const seen = is_causal
    ? b.tensor("aten::tril", { self: e.full(scores.shape.slice(-2), true, "bool") })
    : isBool
      ? attn_mask
      : null;
  const masked = attn_mask === null || isBool ? scores : e.add(scores, e.cast(attn_mask, scores.dtype));
  const total = e.unsqueeze(e.cast(logsumexp, scores.dtype), -1);
  const isEmpty = b.tensor("aten::isinf", { self: total });
  const finite = e.where(isEmpty, { float: 0 }, total);
  const weights = e.where(isEmpty, { float: 0 }, e.exp(e.sub(masked, finite)));
  return seen === null ? weights : e.where(seen, weights, { float: 0 });
}
