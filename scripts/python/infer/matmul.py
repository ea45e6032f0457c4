"""Products and distances."""

import torch

from .tensors import b, c, d, f, h, i

V, M, W = f(5), f(3, 5), f(5, 7)
SHAPES = [
    ((5,), (5,)), ((3, 5), (5,)), ((5,), (5, 7)), ((3, 5), (5, 7)), ((2, 3, 5), (5,)), ((2, 3, 5), (5, 7)), ((5,), (2, 5, 7)),
    ((3, 5), (2, 5, 7)), ((2, 3, 5), (2, 5, 7)), ((1, 3, 5), (2, 5, 7)), ((4, 1, 3, 5), (2, 5, 7)), ((2, 3, 5), (4, 1, 5, 7)),
    ((0, 3, 5), (5, 7)), ((2, 3, 0), (0, 7)), ((2, 3, 5), (3, 7)), ((), (5,)), ((2, 3, 5), (3, 5, 7)), ((5,), (4,)),
]  # fmt: skip

EINSUMS = [
    ("ij,jk->ik", (3, 5), (5, 7)), ("ij,jk", (3, 5), (5, 7)), ("bij,bjk->bik", (2, 3, 5), (2, 5, 7)), ("ii", (3, 3)), ("ii->i", (3, 3)),
    ("ij->ji", (3, 5)), ("ij->", (3, 5)), ("i,j->ij", (3,), (5,)), ("...ij,...jk->...ik", (2, 1, 3, 5), (7, 5, 2)),
    ("bhid,bhjd->bhij", (2, 3, 5, 7), (2, 3, 4, 7)), ("nkctv,kvw->nctw", (2, 3, 5, 7, 4), (3, 4, 4)), ("ij,ij->", (3, 5), (3, 5)),
    ("a,b,c,d->dcba", (2,), (3,), (5,), (7,)), ("ij,jk,kl->il", (2, 3), (3, 5), (5, 7)), ("iij,jk->ik", (3, 3, 5), (5, 2)),
    ("b...,b...->b...", (2, 3), (2, 3)), ("bn,anm,bm->ba", (2, 5), (3, 5, 4), (2, 4)), ("ij,kj->ikj", (3, 1), (5, 7)),
    ("i...->...", (3, 5, 2)), ("...->...", (2, 3)), (" ij , jk -> ki ", (2, 3), (3, 5)), ("ij,jk->ik", (3, 5), (4, 7)),
    ("ij->iij", (3, 5)), ("ij->k", (3, 5)), ("ijk->ij", (3, 5)), ("ij,jk", (3, 5)), ("", ()), ("bchw,bkhw->bck", (2, 3, 5, 7), (2, 4, 5, 7)),
    ("iBa", (2, 3, 5)), ("...a,...a", (2, 3), (3,)),
]  # fmt: skip

CASES = [
    *[("matmul", [f(*x), f(*y)]) for x, y in SHAPES], ("matmul", [i(2, 3), i(3, 5)]), ("matmul", [h(2, 3), h(3, 5)]),
    ("matmul", [f(2, 3), d(3, 5)]), ("matmul", [c(2, 3), c(3, 5)]),
    ("mm", [M, W]), ("mm", [W, M]), ("mm", [V, W]), ("mm", [M, d(5, 7)]), ("mm", [f(0, 5), W]), ("mm", [f(3, 0), f(0, 2)]),
    ("bmm", [f(2, 3, 5), f(2, 5, 7)]), ("bmm", [f(2, 3, 5), f(3, 5, 7)]), ("bmm", [f(2, 3, 5), f(2, 3, 7)]), ("bmm", [M, W]),
    ("mv", [M, V]), ("mv", [M, f(3)]), ("mv", [V, V]), ("dot", [V, f(5)]), ("dot", [V, f(4)]), ("dot", [M, M]), ("vdot", [c(3), c(3)]),
    *[("addmm", [f(*s), M, W]) for s in ((7,), (3, 7), (3, 1), (), (1, 7), (3,), (2, 3, 7))], ("addmm", [f(7), M, W], {"beta": 0, "alpha": 2}),
    ("addmm", [d(7), M, W]), ("addmm", [i(7), i(3, 5), i(5, 7)], {"beta": 2, "alpha": 3}),
    *[("baddbmm", [f(*s), f(2, 3, 5), f(2, 5, 7)]) for s in ((2, 3, 7), (7,), (3, 1), (4, 3, 7))],
    ("addbmm", [f(3, 7), f(2, 3, 5), f(2, 5, 7)], {"beta": 0.5}), ("addbmm", [f(7), f(2, 3, 5), f(2, 5, 7)]), ("addmv", [f(3), M, V]),
    ("addmv", [f(1), M, V], {"alpha": 3}), ("addr", [f(3, 5), f(3), V]), ("addr", [f(5), f(3), V], {"beta": 0}), ("outer", [f(3), V]),
    ("ger", [f(3), V]), ("outer", [M, V]), ("outer", [i(3), V]), ("inner", [M, f(2, 5)]), ("inner", [V, f(2, 3, 5)]), ("inner", [f(), V]),
    ("inner", [M, f(3)]), *[("linear", [f(*s), f(7, 5)]) for s in ((5,), (3, 5), (2, 3, 5), (0, 5), (3, 4))],
    *[("linear", [f(*s), f(7, 5), f(7)]) for s in ((5,), (3, 5), (2, 3, 5), (2, 1, 3, 5), (3, 4))], ("linear", [f(3, 5), f(5)]),
    ("linear", [f(3, 5), f(7, 5), f(6)]), ("linear", [h(3, 5), h(7, 5), h(7)]), ("linear", [f(3, 5), d(7, 5)]),
    ("bilinear", [f(2, 3), f(2, 5), f(7, 3, 5), f(7)]), ("bilinear", [f(4, 2, 3), f(4, 2, 5), f(7, 3, 5)]), ("bilinear", [f(2, 3), f(3, 5), f(7, 3, 5)]),
    *[("einsum", [equation, [f(*s) for s in shapes]]) for equation, *shapes in EINSUMS],
    ("einsum", ["ij,jk,kl->il", [f(2, 3), f(3, 5), f(5, 7)]], {"path": [1, 2, 0, 1]}), ("einsum", ["ij,jk->ik", [i(2, 3), i(3, 5)]]),
    ("tensordot", [f(2, 3, 5), f(5, 3, 7), [1, 2], [1, 0]]), ("tensordot", [f(2, 3), f(5, 7), [], []]), ("tensordot", [M, W, [0], [0]]),
    ("tensordot", [f(2, 3), f(1, 7), [1], [0]]), ("kron", [f(2, 3), f(5, 7)]), ("kron", [f(2), f(3, 5)]), ("kron", [f(), f(3)]),
    ("chain_matmul", [[f(2, 3), f(3, 5), f(5, 7), f(7, 2)]]), ("linalg_multi_dot", [[f(2), f(2, 5), f(5, 7)]]),
    ("linalg_multi_dot", [[f(3, 2), f(2, 5), f(5)]]), ("linalg_multi_dot", [[f(2), f(2, 5), f(5)]]), ("linalg_multi_dot", [[M]]),
    *[("linalg_matrix_power", [f(2, 3, 3), n]) for n in (0, 1, 2, 5, -2)], ("matrix_power", [M, 2]), ("linalg_vecdot", [f(2, 3), f(2, 3)]),
    ("linalg_cross", [f(2, 3), f(2, 3)]), ("linalg_cross", [f(3, 2), f(3, 1)], {"dim": 0}),
    ("cross", [f(3, 2), f(3, 2)]), ("cross", [f(2, 5), f(2, 5)]), ("cross", [f(2, 5, 3), f(2, 5, 3), -1]), ("linalg_cross", [M, M]),
    *[("cdist", [f(2, 3, 5), f(2, 7, 5), p]) for p in (2.0, 1.0, 0.0, 3.0, float("inf"))], ("cdist", [f(29, 5), f(3, 5)]),
    ("cdist", [f(3, 5), f(2, 7, 5), 2.0, 1]), ("cdist", [M, f(7, 4)]), ("cdist", [V, M]), ("cdist", [f(0, 5), M]), ("pairwise_distance", [M, f(3, 5)]),
    ("pairwise_distance", [M, V, 1.0, 1e-6, True]), ("pdist", [M]), ("pdist", [f(1, 5)]), ("pdist", [V]), ("_pdist_forward", [M, 1.0]),
    *[(op, [f(2, 3, 3)]) for op in ("linalg_inv", "inverse", "linalg_det", "det", "linalg_slogdet", "linalg_inv_ex")], ("linalg_inv", [M]),
    ("linalg_cholesky", [torch.eye(3)]), ("linalg_cholesky_ex", [torch.eye(3)]), ("cholesky", [torch.eye(3)]), ("linalg_eigh", [f(2, 3, 3)]),
    ("linalg_solve", [f(3, 3), f(3, 2)]), ("linalg_solve", [f(3, 3), f(3)]), ("linalg_solve", [f(2, 3, 3), f(2, 3)]),
    ("linalg_solve", [f(3, 3), f(5, 3)], {"left": False}), ("linalg_solve_ex", [f(2, 3, 3), f(3, 2)]),
    ("linalg_solve_triangular", [f(3, 3), f(3, 2)], {"upper": True}), *[("linalg_svd", [f(2, 3, 5), full]) for full in (True, False)],
    ("linalg_svdvals", [f(2, 3, 5)]), *[("linalg_qr", [f(2, 5, 3), mode]) for mode in ("reduced", "complete", "r")], ("linalg_pinv", [f(3, 5), 1e-6]),
    ("matmul", [b(2, 3), b(3, 5)]),
]
