"""Normalization layers."""

from .tensors import bf, d, f, h, i

X, P = f(2, 6, 5, 7), f(6).abs()
BN = (f(6), f(6), f(6), P)

CASES = [
    *[("batch_norm", [x, *BN, False, 0.1, 1e-5, True]) for x in (X, f(2, 6), f(2, 6, 5), f(2, 6, 3, 5, 2), f(2, 5), f(6))],
    ("batch_norm", [X, None, None, f(6), P, False, 0.1, 1e-5, True]),
    ("batch_norm", [X, f(6), f(6), None, None, True, 0.1, 1e-5, True]),
    ("batch_norm", [h(2, 6, 5), *BN, False, 0.1, 1e-5, True]),
    ("batch_norm", [X, f(6), f(6), None, None, False, 0.1, 1e-5, True]),
    ("_native_batch_norm_legit_no_training", [X, *BN, 0.1, 1e-5]),
    ("_native_batch_norm_legit_no_training", [d(2, 6), d(6), d(6), d(6), d(6).abs(), 0.1, 1e-5]),
    ("_native_batch_norm_legit.no_stats", [X, f(6), f(6), True, 0.1, 1e-5]),
    ("_native_batch_norm_legit_functional", [X, *BN, True, 0.1, 1e-5]),
    ("native_batch_norm", [X, *BN, False, 0.1, 1e-5]),
    ("native_batch_norm", [X, f(6), f(6), None, None, True, 0.1, 1e-5]),
    ("_native_batch_norm_legit.no_stats", [f(1, 6, 35), None, None, True, 0.1, 1e-5]),
    *[("layer_norm", [x, size]) for x, size in ((X, [7]), (X, [5, 7]), (X, [6, 5, 7]), (X, [5]), (X, []), (f(7), [7]), (f(0, 7), [7]), (i(3), [3]))],
    ("layer_norm", [X, [7], f(7), f(7)]),
    ("layer_norm", [X, [5, 7], f(5, 7)]),
    ("layer_norm", [X, [7], f(5)]),
    ("layer_norm", [h(3, 7), [7], h(7), h(7)]),
    *[("native_layer_norm", [x, [7], w, w, 1e-5]) for x, w in ((X, f(7)), (X, None), (bf(3, 7), bf(7)), (bf(3, 7), f(7)), (d(3, 7), d(7)))],
    *[("rms_norm", [x, size, w]) for x, size, w in ((X, [7], None), (X, [5, 7], f(5, 7)), (h(3, 7), [7], h(7)), (X, [5], None))],
    ("rms_norm", [X, [7], f(7), 1e-3]),
    ("_fused_rms_norm", [X, [7], f(7), None]),
    ("_fused_rms_norm", [X, [7], None, 1e-6]),
    *[
        ("group_norm", [x, n, w, w])
        for x, n, w in ((X, 3, f(6)), (X, 2, None), (X, 4, None), (f(2, 6), 6, f(6)), (h(2, 6, 5), 1, h(6)), (X, 3, f(5)), (f(6), 2, None))
    ],
    *[("native_group_norm", [X, w, w, 2, 6, 35, n, 1e-5]) for w, n in ((f(6), 3), (None, 1))],
    ("native_group_norm", [bf(2, 6, 5), f(6), f(6), 2, 6, 5, 3, 1e-5]),
    *[("instance_norm", [x, f(6), f(6), None, None, True, 0.1, 1e-5, True]) for x in (X, f(2, 6, 5))],
    ("instance_norm", [X, *BN, False, 0.1, 1e-5, True]),
    ("instance_norm", [X, None, None, None, None, True, 0.1, 1e-5, True]),
    ("renorm", [f(3, 5), 2, 0, 1.0]),
    ("renorm", [X, 1, -2, 0.5]),
]
