"""Views, factories, copies and joins, on meta tensors: (op, arguments) or (op, arguments, keyword arguments)."""

import torch

END = 2**63 - 1


def f(*shape):
    return torch.empty(shape, device="meta")


def i(*shape):
    return torch.empty(shape, device="meta", dtype=torch.int64)


def t(dtype, *shape):
    return torch.empty(shape, device="meta", dtype=getattr(torch, dtype))


X, E, S = f(2, 3, 5), f(2, 0, 5), f()
CASES = [
    *[("view", [X, size]) for size in ([30], [-1], [5, -1, 2], [3, 10], [7, -1], [-1, -1], [2, -2], [])],
    *[("view", [E, size]) for size in ([0], [-1, 5], [-1, 0], [0, 7], [5, 0, -1])],
    ("view", [S, []]), ("view", [S, [1, 1]]), ("view", [S, [-1]]),
    ("reshape", [X, [6, -1]]), ("reshape", [X, [4, -1]]), ("reshape_as", [X, f(5, 6)]), ("view_as", [X, f(30)]),
    ("_unsafe_view", [X, [15, 2]]), ("ravel", [X]),
    *[("flatten.using_ints", [X, a, b]) for a, b in ((0, -1), (1, 2), (1, 1), (2, 1), (-3, -2), (0, 3))],
    ("flatten.using_ints", [S, 0, -1]), ("flatten.using_ints", [E, 1, 2]),
    *[("unflatten.int", [f(4, 12), d, s]) for d, s in ((1, [3, 4]), (-1, [2, -1, 3]), (0, [4, 1]), (1, [5, 2]), (2, [1]))],
    *[("expand", [f(3, 1), s]) for s in ([3, 4], [2, 3, 4], [-1, 5], [2, -1, 4], [-1, 3, 4], [4, 4], [3], [3, 0])],
    ("expand", [S, [2, 3]]), ("expand", [S, []]), ("broadcast_to", [f(1, 5), [2, 3, 5]]), ("expand_as", [f(3, 1), X]),
    *[("permute", [X, d]) for d in ([2, 0, 1], [-1, 0, 1], [0, 1], [0, 0, 1], [0, 1, 3])], ("permute", [S, []]),
    *[("transpose.int", [X, a, b]) for a, b in ((0, 1), (-1, 0), (1, 1), (0, 3))], ("transpose.int", [S, 0, -1]),
    ("t", [f(2, 3)]), ("t", [f(3)]), ("t", [S]), ("t", [X]), ("mT", [X]), ("mT", [f(3)]), ("numpy_T", [X]),
    ("swapaxes", [X, 0, 2]), ("swapdims", [X, 0, 2]), ("adjoint", [X]), ("mH", [X]), ("matrix_H", [f(2, 3)]),
    *[("movedim.int", [X, a, b]) for a, b in ((0, 2), (-1, 0), (0, 3))],
    *[("movedim.intlist", [X, a, b]) for a, b in (([0, 1], [2, 0]), ([0, 0], [1, 2]), ([0], [1, 2]), ([2, 0], [0, 1]))],
    *[("select.int", [X, d, n]) for d, n in ((0, 1), (-1, -5), (1, 3), (3, 0), (2, -6))], ("select.int", [S, 0, 0]),
    *[
        ("slice.Tensor", [X, d, a, b, s])
        for d, a, b, s in (
            (0, None, None, 1), (1, 1, END, 1), (2, -3, -1, 1), (2, 3, 1, 1), (2, -100, 100, 2), (2, 0, 5, 3),
            (1, 5, 9, 1), (2, 1, 4, 0), (3, 0, 1, 1), (-1, -END, END, 4), (2, None, -2, 1),
        )
    ],
    ("slice.Tensor", [S, 0, 0, 1, 1]),
    *[("narrow", [X, d, a, n]) for d, a, n in ((2, 1, 3), (2, -2, 2), (2, 4, 2), (1, 3, 0), (0, 0, -1))],
    *[("unsqueeze", [X, d]) for d in (0, 3, -1, -4, 4)], ("unsqueeze", [S, 0]), ("unsqueeze", [S, 1]),
    ("squeeze", [f(1, 3, 1)]), ("squeeze", [X]), ("squeeze", [S]), ("squeeze.dim", [f(1, 3, 1), -1]),
    ("squeeze.dim", [f(1, 3, 1), 1]), ("squeeze.dim", [S, 0]), ("squeeze.dim", [X, 3]),
    ("squeeze.dims", [f(1, 3, 1), [0, 2]]), ("squeeze.dims", [f(1, 3, 1), [0, 1]]), ("squeeze.dims", [f(1, 3, 1), []]),
    *[("diagonal", [X, o, a, b]) for o, a, b in ((0, 0, 1), (1, 1, 2), (-2, 0, 2), (9, 0, 1), (0, 1, 1), (0, -1, -2))],
    *[("unfold", [f(7, 3), d, n, s]) for d, n, s in ((0, 3, 2), (1, 3, 1), (-2, 7, 1), (0, 8, 1), (0, 2, 0))],
    ("unfold", [S, 0, 1, 1]), ("as_strided", [X, [2, 2], [1, 2], 3]),
    *[("split.Tensor", [X, n, d]) for n, d in ((2, 2), (5, 2), (9, 1), (1, 0), (0, 0), (-1, 0))],
    ("split.Tensor", [E, 0, 1]), ("split.Tensor", [E, 3, 1]), ("split.Tensor", [S, 1, 0]),
    *[("split_with_sizes", [X, n, d]) for n, d in (([2, 3], 2), ([1, 1, 3], -1), ([2, 2], 2), ([3, 0], 1), ([-1, 4], 1))],
    *[("chunk", [f(7, 3), n, 0]) for n in (1, 2, 3, 4, 5, 8)], ("chunk", [E, 3, 1]), ("chunk", [X, 0, 0]),
    *[("unbind.int", [X, d]) for d in (0, -1, 3)], ("unbind.int", [E, 1]), ("unbind.int", [S, 0]),
    *[("tensor_split.sections", [f(7, 3), n, 0]) for n in (1, 3, 7, 9, 0)],
    *[("tensor_split.indices", [f(7, 3), n, 0]) for n in ([2, 5], [0, 9], [5, 2], [-2], [])],
    ("hsplit.int", [f(2, 4), 2]), ("hsplit.int", [f(4), 2]), ("hsplit.int", [f(2, 4), 3]), ("vsplit.array", [X, [1]]),
    ("dsplit.int", [f(2, 3, 4), 2]), ("unsafe_split.Tensor", [X, 2, 1]), ("unsafe_chunk", [X, 2, 1]),
    *[("cat", [list(ts), d]) for ts, d in (
        ((X, X), 0), ((X, f(2, 4, 5)), 1), ((X, f(3, 3, 5)), 1), ((f(0), X), -1), ((f(0), f(0)), 0), ((i(2), f(3)), 0),
        ((S, S), 0), ((X,), 3), ((t("bool", 2), t("int8", 1)), 0), ((f(2, 0), f(2, 3)), 1), ((X, f(2, 3)), 0),
    )],
    *[("stack", [[X, X], d]) for d in (0, 3, -1, 4)], ("stack", [[X, f(2)], 0]), ("stack", [[S, S], 0]),
    ("hstack", [[f(2), f(3)]]), ("hstack", [[X, X]]), ("hstack", [[S, S]]), ("vstack", [[f(3), f(2, 3)]]),
    ("dstack", [[f(3), f(3)]]), ("column_stack", [[f(3), f(3, 2)]]), ("atleast_2d", [f(3)]), ("atleast_3d", [f(3, 4)]),
    ("atleast_3d", [f(3)]), ("atleast_1d", [S]),
    *[("pad_sequence", [x, first]) for x in ([X, f(4, 3, 5)], [f(2)], [f(0, 3), f(2, 3)]) for first in (False, True)],
    ("pad_sequence", [[S]]), ("pad_sequence", [[f(2), S]]), ("pad_sequence", [[X, f(2, 4, 5)]]), ("pad_sequence", [[]]),
    ("pad_sequence", [[X], False, 0.0, "middle"]),
    *[
        (f"grid_sampler_{len(grid) - 2}d_backward", [f(*grad), f(*image), f(*grid), mode, 0, False, [True, True]])
        for grad, image, grid, mode in (
            ((1, 2, 3, 4), (1, 2, 5, 6), (1, 3, 4, 2), 0), ((1, 2, 3, 4, 2), (1, 2, 5, 6, 7), (1, 3, 4, 2, 3), 1),
            ((1, 2, 3, 4, 2), (1, 2, 5, 6, 7), (1, 3, 4, 2, 3), 2),
        )
    ],
    *[("repeat", [f(2, 3), r]) for r in ([2, 1], [4, 2, 1], [2], [0, 1], [1, 1, 1], [-1, 2])], ("repeat", [S, [3]]),
    ("tile", [f(2, 3), [2]]), ("tile", [f(2, 3), [2, 1, 3]]), ("repeat_interleave.self_int", [X, 2, 1]),
    ("repeat_interleave.self_int", [X, 3, None]), ("repeat_interleave.self_int", [S, 3, None]),
    ("repeat_interleave.self_int", [X, 0, 0]),
    ("flip", [X, [0, -1]]), ("flip", [X, [0, 0]]), ("roll", [X, [1], [2]]), ("roll", [X, [1], []]), ("roll", [X, [1, 2], [0]]),
    ("rot90", [X, 1, [0, 2]]), ("rot90", [X, 2, [0, 1]]), ("rot90", [X, 3, [1, 1]]),
    *[("constant_pad_nd", [X, p]) for p in ([1, 2], [0, 0, 3, 1], [-1, -1], [-3, -3], [1, 2, 3], [1, 1, 1, 1, 1, 1], [])],
    *[("constant_pad_nd", [X, p]) for p in ([-6, 7], [7, -6], [-5, 5], [-3, -2, 1, 1])], ("constant_pad_nd", [f(2, 0), [-1, 1]]),
    *[("pad", [f(1, 2, 4), p, m]) for m in ("reflect", "replicate", "constant") for p in ([-5, 6], [6, -5], [-4, 4], [-2, 3])],
    # Circular padding by more than what a crop leaves reads memory that PyTorch has not written.
    *[("pad", [f(1, 2, 4), p, "circular"]) for p in ([-5, 6], [6, -5])],
    *[("pad", [f(1, 2, 4), p, m]) for m in ("reflect", "replicate", "circular", "constant") for p in ([1, 3], [4, 0], [1, 1])],
    ("reflection_pad2d", [f(1, 4, 5), [1, 2, 3, 0]]), ("replication_pad2d", [f(1, 4, 5), [7, 2, 3, 0]]),
    ("broadcast_tensors", [[f(3, 1), f(4)]]), ("broadcast_tensors", [[f(3), f(4)]]), ("meshgrid", [[f(2), f(3), S]]),
    ("meshgrid.indexing", [[f(2), f(3)]], {"indexing": "xy"}), ("tril", [X]), ("triu", [f(3)]), ("tril", [t("bool", 3, 4), 1]),
    ("slice_scatter", [X, f(2, 3, 2), 2, 1, 3, 1]), ("slice_scatter", [X, f(2, 3, 3), 2, 0, END, 2]), ("select_scatter", [X, f(2, 5), 1, -1]),
    *[("arange.start_step", [a, b, s], k) for a, b, s, k in (
        (0, 10, 3, {}), (0, 1, 0.3, {}), (5, 0, -2, {}), (5, 0, 1, {}), (0, 0, 1, {}), (1, 2, 1, {"dtype": torch.float16}),
        (0, 5, 0, {}), (0.5, 3, 1, {}),
    )],
    ("arange", [5], {}), ("arange", [2.5], {}), ("arange.start", [2, 5], {}), ("linspace", [0, 1, 5], {}),
    ("linspace", [0, 1, 1], {"dtype": torch.int64}), ("linspace", [0, 1, 0], {}), ("linspace", [0, 1, -1], {}),
    ("eye", [3], {}), ("eye.m", [3, 4], {"dtype": torch.bool}), ("full", [[2, 3], 1], {}), ("full", [[2], 1.5], {}),
    ("full", [[], True], {}), ("full", [[2], 1], {"dtype": torch.float16}), ("zeros", [[0, 2]], {}),
    ("scalar_tensor", [3], {}), ("scalar_tensor", [3], {"dtype": torch.int32}), ("ones_like", [i(2, 3)]),
    ("full_like", [X, 3], {"dtype": torch.int64}), ("new_zeros", [i(2), [3, 4]], {}), ("empty.memory_format", [[2]], {}),
    ("tril_indices", [3, 4, 1], {}), ("triu_indices", [3, 4, -1], {}), ("zeros", [[-1]], {}),
    ("_to_copy", [X], {"dtype": torch.int8}), ("to.dtype", [X, torch.float64]), ("to.other", [X, i(2)]), ("type_as", [X, i()]),
    ("clone", [X]), ("contiguous", [X]), ("detach", [X]), ("fill.Scalar", [i(2), 3]), ("copy", [X, i(5)]),
    ("copy", [f(2), f(3)]), ("view.dtype", [X, torch.int32]), ("view.dtype", [f(2, 4), torch.int64]),
    ("view.dtype", [X, torch.int64]), ("view_as_real", [t("complex64", 2)]), ("view_as_complex", [f(3, 2)]),
    ("glu", [f(2, 4), -1]), ("glu", [f(2, 3), -1]), ("prelu", [X, f(3)]), ("prelu", [X, f(1)]), ("prelu", [X, f(2)]),
    *[(op, [a, b]) for op in ("add.Tensor", "div.Tensor", "eq.Tensor", "pow.Tensor_Tensor", "atan2", "maximum", "xlogy.Tensor")
      for a, b in ((X, f(3, 1)), (i(2), t("int32")), (i(2), S), (t("float16", 2), f()), (t("bfloat16", 2), t("float16", 2)))],
    ("add.Tensor", [f(2, 3), f(2)]), ("add.Scalar", [i(2), 1.5]), ("mul.Scalar", [t("bool", 2), 2]),
    ("div.Tensor_mode", [i(2), i(2)], {"rounding_mode": "floor"}), ("div.Tensor_mode", [i(2), i(2)], {"rounding_mode": None}),
    ("pow.Tensor_Scalar", [i(2), 2.0]), ("pow.Scalar", [2.5, i(2)]), ("rsub.Scalar", [i(2), 1]),
    ("where.self", [t("bool", 2, 1), f(3), i(2, 3)]), ("where.ScalarOther", [t("bool", 2), i(2), 1.5]),
    ("where.Scalar", [t("bool", 2), 1, 2]), ("masked_fill.Scalar", [i(3), t("bool", 2, 3), 1]),
    ("clamp", [i(2), 0.5, None]), ("clamp_min", [i(2), 1]), ("clamp.Tensor", [f(2, 1), f(3), None]),
    ("sum.dim_IntList", [X, [1]]), ("sqrt", [i(2)]), ("angle", [i(2)]), ("isnan", [i(2)]),
    ("sigmoid", [t("bool", 2)]), ("bitwise_and.Tensor", [i(2), t("bool", 2)]), ("logical_and", [i(2), S]),
    ("lerp.Scalar", [X, X, 0.5]), ("addcmul", [X, f(3, 1), S], {"value": 2}), ("isclose", [i(2), i(2)]),
    ("diag_embed", [f(2, 3), 1, 0, 2]), ("diag_embed", [f(3), -2, -2, -1]), ("diag", [f(3), 2]), ("diag", [f(3, 4), 1]),
    ("diagflat", [X]), ("block_diag", [[f(2, 3), f(2), S]]), ("cartesian_prod", [[f(2), f(3)]]), ("sum_to_size", [X, [3, 1]]),
    ("diff", [X, 2, 1]), ("diff", [t("bool", 3)]), ("diff", [f(3), 1, 0, f(1), f(2)]), ("trapezoid.dx", [X], {"dx": 2}),
    ("hann_window", [5], {}), ("hamming_window.periodic", [5, False], {}), ("float_power.Tensor_Scalar", [i(2), 2]),
    ("complex", [S, f(2)]), ("polar", [f(2), f(2)]), ("bitwise_left_shift.Tensor", [i(2), t("int8", 2)]),
]
