"""Reductions, running totals, norms and softmax."""

import math

import torch

from .tensors import b, bf, c, d, f, h, i

X, E, S = f(2, 3, 5), f(2, 0, 5), f()
DIMS = ([0], [-1], [1, 2], [-3, -1], [], [0, 1, 2], None)
ANY = (X, i(2, 3), b(3, 2), h(3), S, E, i(2, 3, dtype=torch.uint8), c(2, 3))

CASES = [
    *[(op, [x]) for op in ("sum", "prod", "any", "all") for x in ANY], *[("count_nonzero", [x]) for x in ANY[:-1]],
    *[(op, [x]) for op in ("max", "min") for x in (X, i(2, 3), b(3, 2), h(3), S, E)],
    *[(op, [x]) for op in ("mean", "std", "var") for x in (X, i(2, 3), h(3), S, E, c(2, 3))],
    *[(op, [X, dims, keep]) for op in ("sum.dim_IntList", "mean.dim") for dims in DIMS for keep in (False, True)],
    *[("sum.dim_IntList", [x, [-1]]) for x in (i(2, 3), b(2, 3), E, bf(2, 3), c(2, 3), S)],
    ("sum.dim_IntList", [X, [1]], {"dtype": torch.float64}), ("sum.dim_IntList", [i(2, 3), [1]], {"dtype": torch.int32}),
    ("sum.dim_IntList", [X, [3]]), ("sum.dim_IntList", [X, [0, -3]]), ("sum.dim_IntList", [S, [0]]),
    ("mean.dim", [i(2, 3), [0]]), ("mean.dim", [i(2, 3), [0]], {"dtype": torch.float32}), ("mean.dim", [E, [1]]),
    ("mean", [h(2, 3)], {"dtype": torch.float64}), ("mean.dim", [bf(2, 3), [1]]), ("sum", [b(3)], {"dtype": torch.float16}),
    *[("prod.dim_int", [x, 0, keep]) for x in (X, i(2, 3), b(2, 3)) for keep in (False, True)],
    ("prod.dim_int", [E, 1]), ("prod", [i(2)], {"dtype": torch.float32}), ("prod.dim_int", [S, -1]),
    *[(op, [X, dims, keep]) for op in ("amax", "amin") for dims in DIMS[:-1] for keep in (False, True)],
    *[("amax", [x, [0]]) for x in (i(2, 3), b(2, 3), E, S, h(3, 2))], ("amax", [E, [1]]), ("amin", [E, []]), ("amax", [X, [1, 1]]),
    *[(op, [X, dim, keep]) for op in ("max.dim", "min.dim", "argmax", "argmin") for dim in (0, -1, 2) for keep in (False, True)],
    *[(op, [x, 0]) for op in ("max.dim", "min.dim") for x in (i(2, 3), b(2, 3), E, S, h(3, 2))],
    ("max.dim", [E, 1]), ("max.dim", [X, 3]), ("argmax", [X]), ("argmax", [X, None, True]), ("argmax", [E]), ("argmin", [E, 1]),
    ("argmax", [E, 0]), ("argmax", [S]), ("argmax", [i(2, 3), 1]), ("argmax", [S, 0, True]),
    *[("aminmax", [x], {"dim": dim, "keepdim": keep}) for x in (X, i(2, 3)) for dim, keep in ((None, False), (0, True), (-1, False))],
    ("aminmax", [E]), ("aminmax", [b(3)]),
    *[(op, [X, dim, keep]) for op in ("any.dim", "all.dim") for dim in (0, -1) for keep in (False, True)],
    *[(op, [x, -1]) for op in ("any.dim", "all.dim") for x in (b(2, 3), i(2, 3, dtype=torch.uint8), E, S)],
    *[(op, [X, dims, keep]) for op in ("any.dims", "all.dims") for dims in DIMS for keep in (False, True)],
    *[(op, [X, dims], {"correction": n, "keepdim": keep}) for op in ("var.correction", "std.correction", "var_mean.correction",
      "std_mean.correction") for dims, n, keep in (([0], 1, False), ([-1, 0], 0, True), (None, None, False), ([], 2, True))],
    *[(op, [X, [1], unbiased, keep]) for op in ("var.dim", "std.dim", "var_mean.dim", "std_mean.dim")
      for unbiased, keep in ((True, False), (False, True))],
    *[(op, [X, False]) for op in ("var", "std", "var_mean", "std_mean")], ("var.correction", [i(2, 3)]), ("var_mean", [c(2, 3)]),
    ("var.correction", [bf(2, 3), [1]]), ("std.correction", [E, [1]]), ("var.correction", [S]),
    *[("logsumexp", [x, dims, keep]) for x in (X, i(2, 3, 5), h(2, 3, 5)) for dims, keep in (([1], False), ([0, -1], True))],
    ("logsumexp", [E, [1]]), ("logsumexp", [S, [0]]), ("logsumexp", [torch.full((3,), -math.inf), [0]]),
    *[("linalg_vector_norm", [X, p, dims, keep]) for p in (2, 1, 0, 3.5, math.inf, -math.inf) for dims, keep in (([1], False), (None, True))],
    ("linalg_vector_norm", [i(2, 3)]), ("linalg_vector_norm", [c(2, 3), 2, [0]]), ("linalg_vector_norm", [h(2, 3), 2, [0]]),
    ("linalg_vector_norm", [h(2, 3), 2, [0]], {"dtype": torch.float32}), ("linalg_vector_norm", [S, 3]), ("linalg_vector_norm", [c(3), 1]),
    ("norm.Scalar", [X]), ("norm.Scalar", [X, 1]), ("norm.ScalarOpt_dim", [X, None, [1], True]), ("norm.ScalarOpt_dim", [X, 3, [0, 2]]),
    ("norm.ScalarOpt_dim_dtype", [X, 2, [1], False], {"dtype": torch.float64}), ("norm.ScalarOpt_dtype", [X, 2], {"dtype": torch.float64}),
    ("frobenius_norm.dim", [X, [0, 1]]), ("linalg_norm", [X]), ("linalg_norm", [f(3, 5), 1]), ("linalg_norm", [f(3), math.inf]),
    ("linalg_norm", [X, 2, [1]]), *[("linalg_matrix_norm", [X, p, [-2, 0], keep]) for p in (1, -1, math.inf, -math.inf) for keep in (False, True)],
    ("linalg_matrix_norm", [X, 2]), ("linalg_matrix_norm.str_ord", [X]), ("linalg_matrix_norm.str_ord", [X, "nuc"]), ("linalg_matrix_norm", [X, 3]),
    *[("nansum", [x, [1]]) for x in (X, i(2, 3))], ("nansum", [X]), ("nanmean", [X, [0], True]), ("nanmean", [i(2)]),
    ("count_nonzero", [X, 1]), ("count_nonzero.dim_IntList", [X, [0, 2]]), ("trace", [f(3, 5)]), ("trace", [i(3, 3)]), ("trace", [X]),
    *[(op, [x, dim]) for op in ("cumsum", "cumprod") for x, dim in ((X, 1), (i(2, 3), -1), (b(3), 0), (S, 0), (E, 1), (h(2, 3), 0))],
    ("cumsum", [X, 3]), ("cumsum", [i(2, 3), 0], {"dtype": torch.float32}),
    *[(op, [x, dim]) for op in ("cummax", "cummin") for x, dim in ((X, 1), (i(2, 3), -1), (b(3), 0), (S, 0), (E, 1))],
    ("logcumsumexp", [X, -1]), ("logcumsumexp", [S, 0]),
    *[(op, [x]) for op in ("median", "nanmedian") for x in (X, i(2, 3), S)], ("median", [torch.tensor([1.0, math.nan, 2.0])]),
    *[(op, [x, dim, keep]) for op in ("median.dim", "nanmedian.dim", "mode") for x, dim, keep in ((X, 1, False), (i(2, 3), -1, True), (S, 0, False))],
    ("nanmedian.dim", [torch.tensor([[1.0, math.nan, 2.0, 0.5]]), 1]), ("median.dim", [torch.tensor([[1.0, math.nan, 2.0]]), 1]),
    *[(op, [x, dim]) for op in ("softmax.int", "log_softmax.int") for x, dim in ((X, 1), (X, -3), (h(2, 3), 1), (S, 0), (E, 1), (E, 0), (i(2), 0))],
    ("softmax.int", [i(2, 3), 1, torch.float32]), ("log_softmax.int", [h(2, 3), 1, torch.float64]), ("softmax.int", [X, 3]),
    ("_softmax", [X, 1, False]), ("_log_softmax", [X, 0, False]), ("_safe_softmax", [X, -1]), ("special_softmax", [X, 1]),
    ("special_log_softmax", [d(2, 3), 1]), ("dist", [X, f(3, 5), 3]), ("dist", [X, f(2, 3, 5)]),
    ("cosine_similarity", [X, f(2, 3, 5), -1]), ("cosine_similarity", [X, f(3, 5), 0]),
]
