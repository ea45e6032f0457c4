import type { Builder } from "../../builder.ts";
import { computeDtype } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast } from "../support/dims.ts";
import { checkFloating, checkSameDtype, isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** The arguments that all attention ops have in common. */
interface Attention {
  readonly query: TensorMeta;
  readonly key: TensorMeta;
  readonly value: TensorMeta;
  /** A bool mask is true where a query may attend to a key; a float mask is added to the scores. */
  readonly mask: TensorMeta | null;
  readonly causal: boolean;
  readonly dropout: number;
  readonly scale: number | null;
}

/** Defines `scaled_dot_product_attention` and the two ops that PyTorch lowers it to on a CPU. */
export const SCALED_DOT_PRODUCT_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
    {
      infer: ({ query, key, value, attn_mask, is_causal, enable_gqa }) => {
        checkAttention(query, key, value);
        checkMask(attn_mask, is_causal);
        const repeats = enable_gqa ? groups(query, key) : 1;
        const heads = (x: TensorMeta): readonly number[] =>
          x.shape.slice(0, -2).map((n, i, all) => (i === all.length - 1 ? n * repeats : n));
        const batch = broadcast(query.shape.slice(0, -2), heads(key), heads(value));
        return { dtype: query.dtype, shape: [...batch, query.shape.at(-2)!, value.shape.at(-1)!] };
      },
      decompose: ({ attn_mask, is_causal, dropout_p, scale, enable_gqa, ...qkv }, b) => {
        const shared = enable_gqa ? repeatHeads(b, qkv) : qkv;
        return attend(b, { ...shared, mask: attn_mask, causal: is_causal, dropout: dropout_p, scale }).output;
      },
    },
  ),
  defineOp(
    "aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)",
    {
      decompose: ({ attn_mask, is_causal, dropout_p, scale, enable_gqa, query, key, value }, b) => {
        const shared = enable_gqa ? repeatHeads(b, { query, key, value }) : { query, key, value };
        checkMask(attn_mask, is_causal);
        check(attn_mask === null || !isComplex(attn_mask.dtype) || isComplex(query.dtype), "a mask must be real");
        // This op adds a bool mask as a number; the public op has converted it to minus infinity before.
        const mask = attn_mask && emit(b).cast(attn_mask, query.dtype);
        const { output, weights } = attend(b, {
          ...shared,
          mask,
          causal: is_causal,
          dropout: dropout_p,
          scale,
        });
        return [output, weights];
      },
    },
  ),
  defineOp(
    "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
    {
      requires: { ranks: { query: [4], key: [4], value: [4] }, ranges: { dropout_p: [0, 0] } },
      infer: ({ query, key, value }) => {
        checkAttention(query, key, value);
        groups(query, key);
        check(
          query.shape[3] === value.shape[3],
          "scaled_dot_product_attention_flash_attention: Q/K/V should have the same head size",
        );
        return [
          { dtype: query.dtype, shape: query.shape },
          { dtype: computeDtype(query.dtype), shape: query.shape.slice(0, -1) },
        ];
      },
      decompose: ({ query, key, value, dropout_p, is_causal, attn_mask, scale }, b) => {
        // PyTorch's kernel shares heads of keys whether or not that was asked for.
        const { output, scores } = attend(b, {
          ...repeatHeads(b, { query, key, value }),
          mask: attn_mask,
          causal: is_causal,
          dropout: dropout_p,
          scale,
        });
        const e = emit(b);
        return [output, b.tensor("aten::logsumexp", { self: e.cast(scores, computeDtype(query.dtype)), dim: [-1] })];
      },
    },
  ),
];

/** Computes `softmax(query keyᵀ scale + mask) value`, and returns the intermediate results too. */
export function attend(
  b: Builder,
  { query, key, value, mask, causal, dropout, scale }: Attention,
): { readonly output: TensorMeta; readonly weights: TensorMeta; readonly scores: TensorMeta } {
  checkAttention(query, key, value);
  const e = emit(b);
  const matmul = (self: TensorMeta, other: TensorMeta): TensorMeta => b.tensor("aten::matmul", { self, other });
  const scaled = e.mul(query, { float: scale ?? 1 / Math.sqrt(query.shape.at(-1)!) });
  const scores = masked(
    b,
    matmul(scaled, e.transpose(key, -2, -1)),
    mask ?? (causal ? causalMask(b, query, key) : null),
  );
  // A fully masked row gives zeros, not NaN. A causal mask has no such row.
  const normalize = mask === null ? "softmax.int" : "_safe_softmax";
  const weights = b.tensor(`aten::${normalize}`, { self: scores, dim: -1 });
  const dropped = dropout > 0 ? b.tensor("aten::dropout", { input: weights, p: dropout, train: true }) : weights;
  return { output: matmul(dropped, value), weights: dropped, scores };
}

/** Makes a mask with which row i attends to the keys up to i, counted from the start of both. */
function causalMask(b: Builder, query: TensorMeta, key: TensorMeta): TensorMeta {
  const e = emit(b);
  const [rows, columns] = [e.arange(query.shape.at(-2)!, "int64"), e.arange(key.shape.at(-2)!, "int64")];
  return e.le(columns, e.unsqueeze(rows, 1));
}

function masked(b: Builder, scores: TensorMeta, mask: TensorMeta | null): TensorMeta {
  const e = emit(b);
  if (mask === null) return scores;
  if (mask.dtype === "bool") return e.where(mask, scores, { float: Number.NEGATIVE_INFINITY });
  return e.cast(e.add(scores, mask), scores.dtype);
}

function checkMask(mask: TensorMeta | null, causal: boolean): void {
  check(
    mask === null || !causal,
    "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
  );
}

function checkAttention(query: TensorMeta, key: TensorMeta, value: TensorMeta): void {
  for (const x of [query, key, value]) {
    check(
      x.shape.length >= 2,
      () =>
        `scaled_dot_product_attention: Expected query, key, and value to all be at least 2 dimensional, but got ${show(x.shape)}`,
    );
    checkFloating("scaled_dot_product_attention", x);
  }
  checkSameDtype("scaled_dot_product_attention", query, key, value);
  check(
    query.shape.at(-1) === key.shape.at(-1),
    () => `query and key must have the same head size, got ${query.shape.at(-1)} and ${key.shape.at(-1)}`,
  );
  check(
    key.shape.at(-2) === value.shape.at(-2),
    () => `key and value must have the same sequence length, got ${key.shape.at(-2)} and ${value.shape.at(-2)}`,
  );
}

/** Returns how many query heads share one key head. */
function groups(query: TensorMeta, key: TensorMeta): number {
  const [queries, keys] = [query.shape.at(-3) ?? 1, key.shape.at(-3) ?? 1];
  check(
    queries % keys === 0,
    () => `Number of heads in key (${keys}) must divide the number of heads in query (${queries})`,
  );
  return queries / keys;
}

function repeatHeads(
  b: Builder,
  qkv: Pick<Attention, "query" | "key" | "value">,
): Pick<Attention, "query" | "key" | "value"> {
  const e = emit(b);
  const repeats = groups(qkv.query, qkv.key);
  const repeat = (x: TensorMeta): TensorMeta => {
    const [lead, heads, rest] = [x.shape.slice(0, -3), x.shape.at(-3)!, x.shape.slice(-2)];
    return e.reshape(e.expand(e.unsqueeze(x, -3), [...lead, heads, repeats, ...rest]), [
      ...lead,
      heads * repeats,
      ...rest,
    ]);
  };
  return repeats === 1 ? qkv : { query: qkv.query, key: repeat(qkv.key), value: repeat(qkv.value) };
}
