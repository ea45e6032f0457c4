"""Indexing, scattering, embedding, searching and sorting. Ops whose result sizes depend on data are not here."""

import torch

from .tensors import b, f, h, i

X, E, S = f(5, 3, 7), f(2, 0, 5), f()
A, B = i(4), i(2, 1)
PICKS = [
    [A], [B], [None, A], [None, None, B], [A, A], [A, None, A], [None, A, A], [B, A], [None, B, None], [S.long()], [A, i(3)], [A, A, A, A], [i(0)],
    [i(4, dtype=torch.int32)], [f(4)], [None], [i(2, 2), None, i(2)], [b(4)],
]  # fmt: skip

CASES = [
    *[("index.Tensor", [X, pick]) for pick in PICKS],
    ("index.Tensor", [E, [A]]),
    ("index.Tensor", [E, [None, A]]),
    ("_unsafe_index.Tensor", [X, [None, A]]),
    ("index_put", [X, [A], f(4, 3, 7)]),
    ("index_put", [X, [None, A], f(1), True]),
    ("index_put", [X, [A], f(3, 7), True]),
    ("index_put", [X, [A], f(4, 3, 6)]),
    ("index_put", [X, [A], i(1)]),
    ("index_put", [X, [b(5, 3, 7)], S]),
    ("index_put", [X, [b(5)], f(1)]),
    ("_unsafe_index_put", [X, [A], f(4, 3, 7)]),
    ("_index_put_impl", [X.clone(), [A, A], f(4, 7), True]),
    ("_unsafe_masked_index", [X, b(4, 3, 7), [A], 2.5]),
    ("put", [X, i(2, 2), f(2, 2)]),
    ("put", [X, i(3), f(3), True]),
    *[("index_select", [X, dim, A]) for dim in (0, 1, -1, 3)],
    ("index_select", [X, 0, S.long()]),
    ("index_select", [X, 0, B]),
    ("index_select", [S, 0, i(1, high=1)]),
    ("index_select", [X, 1, i(2, dtype=torch.int32)]),
    ("index_select", [X, 1, f(2)]),
    ("index_select", [E, 0, i(0)]),
    *[("gather", [X, dim, i(*s)]) for dim, s in ((0, (2, 3, 7)), (1, (5, 4, 6)), (-1, (1, 1, 9)), (0, (2, 4, 7)), (0, (2, 3)), (0, (0, 3, 7)))],
    ("gather", [S, 0, i(high=1)]),
    ("gather", [X, 0, f(2, 3, 7)]),
    ("take", [X, B]),
    ("take", [X, S.long()]),
    ("take_along_dim", [X, i(2, 3, 7), 0]),
    ("take_along_dim", [X, i(1, 4, 1), 1]),
    ("take_along_dim", [X, i(4)]),
    *[
        ("scatter.src", [X, dim, i(*s), f(*t)])
        for dim, s, t in ((0, (2, 3, 7), (2, 3, 7)), (1, (5, 2, 6), (5, 3, 7)), (0, (2, 4, 7), (2, 4, 7)), (0, (3, 3, 7), (2, 3, 7)))
    ],
    ("scatter.src", [X, 0, i(2, 3, 7), i(2, 3, 7)]),
    ("scatter.value", [X, -1, i(5, 3, 2), 2.5]),
    ("scatter.value", [i(3), 0, i(2), 7]),
    ("scatter_add", [X, 0, i(2, 3, 7), f(2, 3, 7)]),
    ("scatter_add", [X, 0, i(2, 3, 7), f(2, 2, 7)]),
    ("scatter.reduce", [X, 0, i(2, 3, 7), f(2, 3, 7)], {"reduce": "add"}),
    ("scatter.value_reduce", [X, 0, i(1, 3, 7), 3.0], {"reduce": "multiply"}),
    *[("scatter_reduce.two", [X, 1, i(5, 2, 7), f(5, 2, 7), how]) for how in ("sum", "prod", "mean", "amax", "amin", "most")],
    ("scatter_reduce.two", [X, 1, i(5, 1, 7), f(5, 1, 7), "amax"], {"include_self": False}),
    *[("index_add", [X, dim, i(2), f(*s)]) for dim, s in ((0, (2, 3, 7)), (1, (5, 2, 7)), (-1, (5, 3, 2)), (0, (2, 3, 6)))],
    ("index_add", [X, 0, i(2), f(2, 3, 7)], {"alpha": 3}),
    ("index_add", [S, 0, i(high=1), f()]),
    ("index_copy", [X, 1, torch.tensor([2, 0]), f(5, 2, 7)]),
    ("index_copy", [X, 1, i(2), f(5, 3, 7)]),
    ("index_reduce", [X, 0, i(2), f(2, 3, 7), "amax"]),
    ("index_reduce", [X, 0, i(2), f(2, 3, 7), "prod"], {"include_self": False}),
    ("index_fill.int_Scalar", [X, 1, i(2), 3.5]),
    ("index_fill.int_Tensor", [X, -1, i(2), S]),
    ("index_fill.int_Tensor", [X, -1, i(2), f(2)]),
    ("masked_scatter", [X, b(5, 3, 7), f(200)]),
    ("masked_scatter", [X, b(3, 1), f(200)]),
    ("masked_scatter", [X, i(5, 3, 7), f(200)]),
    ("nonzero_static", [b(3, 5)], {"size": 4}),
    ("nonzero_static", [b(3, 5)], {"size": 20, "fill_value": -7}),
    ("nonzero_static", [f(7)], {"size": 2}),
    *[("embedding", [f(11, 5), x]) for x in (i(3), i(2, 3), i(high=1), i(0), i(2, dtype=torch.int32), f(2))],
    ("embedding", [f(11), A]),
    ("embedding", [f(11, 5), A, 1, True, True]),
    *[("embedding_bag", [f(11, 5), i(7, high=11), torch.tensor([0, 2, 2, 5]), False, mode]) for mode in (0, 1, 2)],
    ("embedding_bag", [f(11, 5), i(7, high=11), torch.tensor([0, 3]), False, 0, False, f(7)]),
    ("embedding_bag", [f(11, 5), i(7, high=11), torch.tensor([0, 3, 7]), False, 1, False, None, True]),
    ("embedding_bag.padding_idx", [f(11, 5), i(7, high=3), torch.tensor([0, 3]), False, 1, False, None, False, 1]),
    ("one_hot", [i(2, 3, high=5), 5]),
    ("one_hot", [S.long(), 3]),
    *[("searchsorted.Tensor", [torch.arange(7.0), f(2, 3)], o) for o in ({}, {"right": True}, {"out_int32": True}, {"side": "right"})],
    ("searchsorted.Tensor", [f(2, 7).sort().values, f(2, 3)]),
    ("searchsorted.Tensor", [f(2, 7), f(3, 3)]),
    ("searchsorted.Scalar", [torch.arange(7.0), 2.5]),
    ("searchsorted.Tensor", [f(2, 7), f(2, 3)], {"sorter": i(2, 7)}),
    ("bucketize.Tensor", [f(2, 3), torch.arange(5.0)]),
    ("bucketize.Scalar", [1.5, torch.arange(5.0)]),
    ("bucketize.Tensor", [f(2, 3), f(2, 3)]),
    ("isin.Tensor_Tensor", [i(2, 3), A]),
    ("isin.Tensor_Tensor", [i(2, 3), A], {"invert": True}),
    ("isin.Tensor_Scalar", [A, 1]),
    ("isin.Scalar_Tensor", [1, A]),
    ("histc", [X, 10]),
    ("histc", [X, 5, -1, 1]),
    *[
        ("repeat_interleave.self_Tensor", [x, torch.tensor(r), dim], {"output_size": n})
        for x, r, dim, n in ((f(3, 2), [1, 0, 2], 0, 3), (f(2, 2), [3], None, 12), (f(2), [2, 2], -1, 4))
    ],
    *[
        (op, [x, dim, desc])
        for op in ("sort", "argsort")
        for x, dim, desc in ((X, -1, False), (X, 0, True), (S, 0, False), (i(2, 3), 1, True), (b(3), 0, False), (E, 1, False))
    ],
    ("sort.stable", [X], {"stable": True, "dim": 1}),
    ("argsort.stable", [X], {"stable": True}),
    ("sort", [X, 3]),
    ("msort", [X]),
    ("msort", [h(3)]),
    *[("topk", [x, k, dim]) for x, k, dim in ((X, 2, -1), (X, 5, 0), (X, 0, 1), (X, 4, 1), (S, 1, 0), (i(7), 3, 0))],
    ("topk", [X, 2, 0, False, True]),
    *[
        ("kthvalue", [x, k, dim, keep])
        for x, k, dim, keep in ((X, 2, -1, False), (X, 3, 0, True), (X, 4, 1, False), (S, 1, 0, False), (i(7), 3, 0, True))
    ],
]
