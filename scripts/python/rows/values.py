"""Ops without arithmetic of their own, whose values are recorded: (op, arguments) or (op, arguments, keyword arguments)."""

import torch


def f(*shape, dtype=torch.float32):
    return torch.arange(1, torch.Size(shape).numel() + 1).reshape(shape).to(dtype)


INT64 = torch.int64
CASES = [
    ("linspace", [0, 1, 5], {}), ("linspace", [-3, 4, 4], {}), ("linspace", [0, 9, 4], {"dtype": INT64}), ("linspace", [2, 1, 1], {}),
    ("logspace", [0, 2, 3], {}), ("eye.m", [2, 3], {}), ("eye", [2], {"dtype": torch.bool}), ("arange", [3], {}),
    ("tril", [f(3, 4)]), ("tril", [f(2, 2, 3), -1]), ("triu", [f(3, 4), 1]), ("triu", [f(2, 2, dtype=torch.bool)]),
    ("pad", [f(1, 2, 4), [2, 1], "reflect"]), ("pad", [f(1, 2, 4), [2, 1], "replicate"]), ("pad", [f(1, 2, 4), [3, 1], "circular"]),
    ("pad", [f(2, 3), [1, 2, 0, 1], "constant", 7.0]), ("pad", [f(2, 4), [-1, 2], "constant"]),
    ("reflection_pad2d", [f(1, 3, 3), [1, 2, 2, 0]]), ("replication_pad2d", [f(1, 2, 3), [-1, 2, 1, 0]]),
    ("repeat", [f(2, 3), [2, 2]]), ("repeat", [f(3), [2, 1, 2]]), ("tile", [f(2, 2), [2]]),
    ("repeat_interleave.self_int", [f(2, 3), 2, 1]), ("repeat_interleave.self_int", [f(2, 2), 3, None]),
    ("roll", [f(2, 4), [1], [1]]), ("roll", [f(2, 4), [-3, 1], [1, 0]]), ("roll", [f(2, 3), [2], []]),
    ("flip", [f(2, 3), [0, 1]]), ("fliplr", [f(2, 3)]), ("rot90", [f(2, 3), 1, [0, 1]]), ("rot90", [f(2, 3), 3, [0, 1]]),
    ("rot90", [f(2, 3), 2, [0, 1]]), ("meshgrid", [[f(2), f(3)]]), ("meshgrid.indexing", [[f(2), f(3)]], {"indexing": "xy"}),
    ("cartesian_prod", [[f(2), f(3)]]), ("diag_embed", [f(2, 2), 1, 0, 2]), ("diag_embed", [f(3), -1]), ("diag", [f(3, 3), -1]),
    ("diagflat", [f(2, 2), 1]), ("block_diag", [[f(2, 2), f(3), f(1, 1)]]), ("diff", [f(2, 4), 1, 1]),
    ("slice_scatter", [f(2, 6), torch.full((2, 2), 9.0), 1, 1, 6, 3]), ("slice_scatter", [f(4, 2), torch.full((2, 2), 9.0), 0, -3, -1]),
    ("select_scatter", [f(2, 3), torch.full((2,), 9.0), 1, -1]), ("stack", [[f(2), f(2)], 1]), ("hstack", [[f(2), f(3)]]),
    ("vstack", [[f(3), f(2, 3)]]), ("dstack", [[f(2), f(2)]]), ("column_stack", [[f(2), f(2, 2)]]), ("atleast_3d", [f(2, 2)]),
    ("unfold", [f(5), 0, 3, 2]), ("movedim.intlist", [f(2, 3, 4), [0, 2], [1, 0]]), ("diagonal", [f(2, 3, 3), 1, 1, 2]),
    ("glu", [f(2, 4), 1]), ("prelu", [f(2, 3) - 4, f(3)]), ("nan_to_num", [torch.tensor([1.0, 2.0]), None, None, None]),
    ("hann_window", [5], {}), ("hamming_window.periodic", [4, False], {}), ("blackman_window", [4], {}),
    ("full_like", [f(2), 2.5], {"dtype": INT64}), ("new_full", [f(1, dtype=INT64), [2], 3], {}), ("fill.Scalar", [f(2, dtype=INT64), 2]),
    ("copy", [f(2, 2), f(2, dtype=INT64)]), ("to.other", [f(2), f(1, dtype=INT64)]), ("flatten.using_ints", [f(2, 2, 2), 1, 2]),
    ("tensor_split.sections", [f(5), 3]), ("chunk", [f(5), 3]), ("split_with_sizes", [f(5), [2, 3]]), ("unbind.int", [f(2, 2), 1]),
    ("float_power.Tensor_Scalar", [f(3, dtype=INT64), 2]), ("slice.Tensor", [f(7), 0, -6, 7, 3]),
]
