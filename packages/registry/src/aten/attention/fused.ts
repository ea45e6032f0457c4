import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";
import { attend } from "./scaled-dot-product.ts";

/**
 * Defines the fused attention kernels that an export on a GPU may name. Results that only their backward ops read are
 * filled with zeros.
 */
export const FUSED_ATTENTION_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)",
    {
      decompose: ({ query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale }, b) => {
        const options = { mask: attn_bias, causal: is_causal, dropout: dropout_p, scale };
        const { output, scores } = attend(b, { query, key, value, ...options });
        const sums = compute_log_sumexp
          ? paddedSums(b, scores)
          : emit(b).full([...query.shape.slice(0, 2), 0], 0, "float32");
        return [output, sums, counter(b), counter(b)];
      },
    },
  ),
  defineOp(
    "aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)",
    {
      decompose: ({ query, key, value, dropout_p, is_causal, scale }, b) => {
        const { output, scores } = attend(b, {
          query,
          key,
          value,
          mask: null,
          causal: is_causal,
          dropout: dropout_p,
          scale,
        });
        const [none, rng] = [emit(b).full([0], 0, "int32"), emit(b).full([2], 0, "uint64")];
        return [
          output,
          sumsOf(b, scores),
          none,
          none,
          query.shape[2]!,
          key.shape[2]!,
          rng,
          counter(b),
          emit(b).full([0], 0, query.dtype),
        ];
      },
    },
  ),
  defineOp(
    "aten::_scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor philox_seed, Tensor philox_offset, Tensor debug_attn_mask)",
    {
      decompose: ({ query, key, value, attn_bias, dropout_p, is_causal, scale }, b) => {
        const options = { mask: attn_bias, causal: is_causal, dropout: dropout_p, scale };
        const { output, scores } = attend(b, { query, key, value, ...options });
        const none = emit(b).full([0], 0, "int32");
        const sums = emit(b).unsqueeze(sumsOf(b, scores), -1);
        return [
          output,
          sums,
          none,
          none,
          query.shape[2]!,
          key.shape[2]!,
          counter(b),
          counter(b),
          emit(b).full([0], 0, query.dtype),
        ];
      },
    },
  ),
];

function counter(b: Builder): TensorMeta {
  return emit(b).full([], 0, "int64");
}

function sumsOf(b: Builder, scores: TensorMeta): TensorMeta {
  return b.tensor("aten::logsumexp", { self: emit(b).cast(scores, "float32"), dim: [-1] });
}

/** The memory-efficient kernel rounds the number of rows up to a multiple of 32. */
function paddedSums(b: Builder, scores: TensorMeta): TensorMeta {
  const rows = scores.shape.at(-2)!;
  const value = { float: Number.POSITIVE_INFINITY };
  return b.tensor("aten::constant_pad_nd", {
    self: sumsOf(b, scores),
    pad: [0, Math.ceil(rows / 32) * 32 - rows],
    value,
  });
}
