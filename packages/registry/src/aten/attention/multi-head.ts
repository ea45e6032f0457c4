import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/** Defines the fast paths of `nn.MultiheadAttention` and `nn.TransformerEncoderLayer`. */
export const MULTI_HEAD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)",
    {
      decompose: (
        { query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, ...options },
        b,
      ) => {
        const e = emit(b);
        check(
          query.shape.length === 3 && query.shape[2] === embed_dim,
          () => `expected query of ${embed_dim} features, got ${show(query.shape)}`,
        );
        check(embed_dim % num_head === 0, () => `num_heads ${num_head} does not divide embed_dim ${embed_dim} evenly`);
        for (const [name, x] of Object.entries({ qkv_weight, qkv_bias })) {
          check(
            x.shape[0] === 3 * embed_dim,
            () => `expected \`${name}\` first dim to be 3x embed_dim, got ${show(x.shape)}`,
          );
        }
        const size = embed_dim / num_head;
        const head = (input: TensorMeta, part: number): TensorMeta => {
          const rows = (x: TensorMeta): TensorMeta => e.slice(x, 0, part * embed_dim, (part + 1) * embed_dim);
          const projected = b.tensor("aten::linear", { input, weight: rows(qkv_weight), bias: rows(qkv_bias) });
          return e.transpose(e.reshape(projected, [input.shape[0]!, input.shape[1]!, num_head, size]), 1, 2);
        };
        const matmul = (self: TensorMeta, other: TensorMeta): TensorMeta => b.tensor("aten::matmul", { self, other });
        const scaled = e.mul(head(query, 0), { float: 1 / Math.sqrt(size) });
        const scores = matmul(scaled, e.transpose(head(key, 1), -2, -1));
        const { mask, mask_type, need_weights, average_attn_weights } = options;
        const weights =
          mask === null
            ? b.tensor("aten::softmax.int", { self: scores, dim: -1 })
            : b.tensor("aten::_masked_softmax", {
                self: scores,
                mask: mask.dtype === "bool" ? mask : e.ne(mask, 0),
                dim: -1,
                mask_type,
              });
        const mixed = e.reshape(e.transpose(matmul(weights, head(value, 2)), 1, 2), query.shape);
        const output = b.tensor("aten::linear", { input: mixed, weight: proj_weight, bias: proj_bias });
        if (!need_weights) return [output, e.full([0], 0, query.dtype)];
        return [output, average_attn_weights ? e.mean(weights, [1]) : weights];
      },
    },
  ),
  defineOp(
    "aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor",
    {
      decompose: (a, b) => {
        const e = emit(b);
        const normalize = (input: TensorMeta, weight: TensorMeta, bias: TensorMeta): TensorMeta =>
          b.tensor("aten::layer_norm", { input, normalized_shape: [a.embed_dim], weight, bias, eps: a.eps });
        const first = (x: TensorMeta): TensorMeta => normalize(x, a.norm_weight_1, a.norm_bias_1);
        const second = (x: TensorMeta): TensorMeta => normalize(x, a.norm_weight_2, a.norm_bias_2);
        const attention = (x: TensorMeta): TensorMeta => {
          const { embed_dim, num_heads: num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type } = a;
          const weights = { qkv_weight, qkv_bias, proj_weight, proj_bias };
          const options = { embed_dim, num_head, mask, mask_type, need_weights: false };
          return b.call("aten::_native_multi_head_attention", {
            query: x,
            key: x,
            value: x,
            ...weights,
            ...options,
          })[0];
        };
        const feedForward = (x: TensorMeta): TensorMeta => {
          const hidden = b.tensor("aten::linear", { input: x, weight: a.ffn_weight_1, bias: a.ffn_bias_1 });
          const active = b.tensor(a.use_gelu ? "aten::gelu" : "aten::relu", { self: hidden });
          return b.tensor("aten::linear", { input: active, weight: a.ffn_weight_2, bias: a.ffn_bias_2 });
        };
        if (a.norm_first) {
          const x = e.add(a.src, attention(first(a.src)));
          return e.add(x, feedForward(second(x)));
        }
        const x = first(e.add(a.src, attention(a.src)));
        return second(e.add(x, feedForward(x)));
      },
    },
  ),
  defineOp(
    "aten::_transform_bias_rescale_qkv(Tensor qkv, Tensor qkv_bias, int num_heads) -> (Tensor, Tensor, Tensor)",
    {
      decompose: ({ qkv, qkv_bias, num_heads }, b) => {
        const e = emit(b);
        const [batch, length, width] = qkv.shape as readonly [number, number, number];
        const size = width / 3 / num_heads;
        const split = e.reshape(e.add(qkv, qkv_bias), [batch, length, 3, num_heads, size]);
        const part = (index: number): TensorMeta => e.transpose(e.select(split, 2, index), 1, 2);
        return [e.mul(part(0), { float: 1 / Math.sqrt(size) }), part(1), part(2)];
      },
    },
  ),
];
