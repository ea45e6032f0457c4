"""Attention, in the form modules call it and in the form decompositions leave."""
import torch

from opcase import b8, bf16, case, f16, f64, inf, t, v


def qkv(batch=(2, 3), length=5, keys=7, size=4, **kw):
    return t(*batch, length, size, **kw), t(*batch, keys, size, **kw), t(*batch, keys, size, **kw)


sdpa = "scaled_dot_product_attention"
case(sdpa, "plain", *qkv())
case(sdpa, "causal", *qkv(keys=5), is_causal=True)
case(sdpa, "causal, more keys than queries", *qkv(), is_causal=True)
case(sdpa, "scale", *qkv(), scale=0.7)
case(sdpa, "float mask broadcasts", *qkv(), t(2, 1, 5, 7))
case(sdpa, "float mask of two dims", *qkv(), t(5, 7))
case(sdpa, "bool mask", *qkv(), t(2, 1, 1, 7) > -1)
case(sdpa, "bool mask per row", *qkv(), (t(5, 7) > -1))
case(sdpa, "bool row masked out entirely gives zeros", *qkv(batch=(1, 1), length=2, keys=3), v([False, False, False], [True, False, True], dtype=b8))
case(sdpa, "mask with minus infinity", *qkv(), t(2, 1, 1, 7).masked_fill(t(2, 1, 1, 7) > 1, -inf))
case(sdpa, "three dims", *qkv(batch=(3,)))
case(sdpa, "two dims", *qkv(batch=()))
case(sdpa, "value size differs", t(2, 3, 5, 4), t(2, 3, 7, 4), t(2, 3, 7, 6))
case(sdpa, "heads permuted", t(2, 5, 3, 4).transpose(1, 2), t(2, 7, 3, 4).transpose(1, 2), t(2, 7, 3, 4).transpose(1, 2))
case(sdpa, "grouped queries", t(2, 6, 5, 4), t(2, 3, 7, 4), t(2, 3, 7, 4), enable_gqa=True)
case(sdpa, "longer than a tile", *qkv(batch=(1, 2), length=37, keys=41, size=11))
case(sdpa, "one query", *qkv(length=1))
case(sdpa, "one key", *qkv(keys=1))
case(sdpa, "batch broadcasts", t(2, 3, 5, 4), t(1, 3, 7, 4), t(1, 3, 7, 4))
case(sdpa, "float16", *qkv(dtype=f16))
case(sdpa, "bfloat16", *qkv(dtype=bf16))
case(sdpa, "float64", *qkv(dtype=f64))

flash = "_scaled_dot_product_flash_attention_for_cpu"
case(flash, "plain", *qkv())
case(flash, "causal", *qkv(keys=5), 0.0, True)
case(flash, "mask and scale", *qkv(), 0.0, False, attn_mask=t(2, 1, 5, 7), scale=0.5)
case("_scaled_dot_product_attention_math", "mask", *qkv(), t(5, 7))
case("_scaled_dot_product_attention_math", "causal", *qkv(keys=5), None, 0.0, True)

mha = "_native_multi_head_attention"
for name, mask, kind in (("plain", None, None), ("key padding mask", t(2, 5) > 1, 1)):
    x = t(2, 5, 6)
    case(mha, name, x, x, x, 6, 2, t(18, 6), t(18), t(6, 6), t(6), mask, False, True, kind)
encoder = "_transformer_encoder_layer_fwd"
norms = lambda: (t(6, lo=0.5), t(6), t(6, lo=0.5), t(6))  # noqa: E731
case(encoder, "relu, norm last", t(2, 5, 6), 6, 2, t(18, 6), t(18), t(6, 6), t(6), False, False, 1e-5, *norms(), t(10, 6), t(10), t(6, 10), t(6))
case(encoder, "gelu, norm first", t(2, 5, 6), 6, 2, t(18, 6), t(18), t(6, 6), t(6), True, True, 1e-5, *norms(), t(10, 6), t(10), t(6, 10), t(6))

for name, mask, causal, scale in (
    ("plain", None, False, None),
    ("causal", None, True, None),
    ("a mask of numbers, scaled", t(1, 1, 5, 7), False, 0.3),
):
    query, key, value = t(2, 3, 5, 4), t(2, 3, 7, 4), t(2, 3, 7, 4)
    out, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, causal, attn_mask=mask, scale=scale)
    case("_scaled_dot_product_flash_attention_for_cpu_backward", name, t(2, 3, 5, 4), query, key, value, out, sums, 0.0, causal, attn_mask=mask, scale=scale)

# One query of each head, and several heads that share keys: a step of a decoder.
for heads, shared in ((6, 2), (7, 7), (5, 1)):
    name = f"{heads} heads of one query, {heads // shared} of keys"
    case(sdpa, name, t(1, heads, 1, 5), t(1, heads // shared, 67, 5), t(1, heads // shared, 67, 7), enable_gqa=True)
masks = {"a bool mask": t(2, 1, 1, 13) > 0, "a mask of each head": t(1, 6, 1, 13), "a mask of two dims": t(1, 13)}
for name, mask in masks.items():
    case(sdpa, f"grouped queries, {name}", t(2, 6, 1, 4), t(2, 2, 13, 4), t(2, 2, 13, 4), mask, enable_gqa=True)
case(sdpa, "grouped queries, causal, one of each", t(2, 6, 1, 8), t(2, 2, 7, 8), t(2, 2, 7, 8), is_causal=True, enable_gqa=True)
case(sdpa, "grouped queries of three dimensions", t(6, 1, 8), t(3, 13, 8), t(3, 13, 8), enable_gqa=True)
transposed = (t(2, 1, 6, 4).transpose(1, 2), t(2, 11, 3, 4).transpose(1, 2), t(2, 11, 3, 4).transpose(1, 2))
case(sdpa, "grouped queries, transposed", *transposed, enable_gqa=True)
case(sdpa, "grouped queries without keys", t(2, 4, 1, 8), t(2, 2, 0, 8), t(2, 2, 0, 8), enable_gqa=True)
for rows in (7, 9):
    case(sdpa, f"{rows} queries", t(1, 1, rows, 6), t(1, 1, 67, 6), t(1, 1, 67, 5))
case(sdpa, "17 queries without keys", t(1, 2, 17, 4), t(1, 2, 0, 4), t(1, 2, 0, 4))

# Gradients of heads that several heads of the query read are added up.
for causal in (False, True):
    name = f"grouped queries{', causal' if causal else ''}"
    query, key, value = t(2, 6, 5, 4), t(2, 2, 5, 4), t(2, 2, 5, 4)
    out, sums = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, causal)
    case(flash, name, query, key, value, 0.0, causal)
    case(f"{flash}_backward", name, t(2, 6, 5, 4), query, key, value, out, sums, 0.0, causal)
