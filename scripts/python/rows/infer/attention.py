"""Attention."""

from .tensors import b, d, f, h

Q, K, V = f(2, 4, 5, 8), f(2, 4, 7, 8), f(2, 4, 7, 6)
SDPA = "scaled_dot_product_attention"
MHA = (12, 3, f(36, 12), f(36), f(12, 12), f(12))
LAYER = (12, 3, f(36, 12), f(36), f(12, 12), f(12))
FFN = (f(12), f(12), f(12), f(12), f(20, 12), f(20), f(12, 20), f(12))
XS = f(2, 5, 12)

CASES = [
    (SDPA, [Q, K, V]),
    (SDPA, [Q, K, V, b(5, 7)]),
    (SDPA, [Q, K, V, f(2, 1, 5, 7)]),
    (SDPA, [Q, K, V, None, 0.0, True]),
    (SDPA, [Q, K, V, b(2, 1, 1, 7)]),
    (SDPA, [Q, K, V, b(5, 7), 0.0, True]),
    (SDPA, [Q, K, V], {"scale": 0.5}),
    (SDPA, [f(5, 8), f(7, 8), f(7, 6)]),
    (SDPA, [f(4, 5, 8), f(4, 7, 8), f(4, 7, 8)]),
    (SDPA, [Q, f(2, 2, 7, 8), f(2, 2, 7, 6)], {"enable_gqa": True}),
    (SDPA, [Q, f(2, 1, 7, 8), f(2, 1, 7, 8)]),
    (SDPA, [Q, f(2, 4, 7, 9), V]),
    (SDPA, [Q, K, d(2, 4, 7, 6)]),
    (SDPA, [h(2, 4, 5, 8), h(2, 4, 7, 8), h(2, 4, 7, 8)]),
    (SDPA, [f(8), f(8), f(8)]),
    (SDPA, [f(0, 4, 5, 8), f(0, 4, 5, 8), f(0, 4, 5, 8)]),
    (SDPA, [f(2, 3, 4, 5, 8), f(2, 3, 4, 7, 8), f(2, 3, 4, 7, 8), None, 0.0, True]),
    ("_scaled_dot_product_flash_attention_for_cpu", [Q, K, f(2, 4, 7, 8)]),
    ("_scaled_dot_product_flash_attention_for_cpu", [Q, K, f(2, 4, 7, 8), 0.0, True]),
    ("_scaled_dot_product_flash_attention_for_cpu", [Q, K, f(2, 4, 7, 8)], {"attn_mask": f(5, 7), "scale": 0.3}),
    ("_scaled_dot_product_attention_math", [Q, K, V]),
    ("_scaled_dot_product_attention_math", [Q, K, V, b(5, 7)]),
    *[("_native_multi_head_attention", [XS, XS, XS, *MHA, None, *flags]) for flags in ((True, True), (True, False))],
    ("_transformer_encoder_layer_fwd", [XS, *LAYER, True, False, 1e-5, *FFN]),
    ("_transformer_encoder_layer_fwd", [XS, *LAYER, False, True, 1e-5, *FFN]),
    ("_transformer_encoder_layer_fwd", [XS, *LAYER, True, False, 1e-5, *FFN, b(2, 5), 1]),
    ("_transform_bias_rescale_qkv", [f(2, 5, 36), f(36), 3]),
    ("_masked_softmax", [f(2, 3, 5, 5), b(2, 5), -1, 1]),
    ("_masked_softmax", [f(2, 3, 5, 5), b(5, 5), -1, 0]),
    ("_masked_softmax", [f(2, 3, 5, 5), b(2, 3, 5, 5), 3, 2]),
]
