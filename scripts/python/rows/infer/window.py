"""Convolutions, unfolding and pooling."""

from .tensors import b, d, f, h, i

IMAGE, LINE, CUBE = f(2, 6, 11, 13), f(2, 6, 13), f(2, 4, 7, 11, 5)
POOLS = [
    ([3],), ([3, 2], [2, 1]), ([3, 2], [], [1, 1]), ([2], [2], [0], [1], True), ([3, 5], [2, 3], [1, 2], [1, 1], True),
    ([3], [2], [1], [2], False), ([3], [1], [2]), ([20],), ([2], [3], [1], [1], True),
]  # fmt: skip

CASES = [
    *[("conv2d", [IMAGE, f(7, 6, 3, 5), f(7), *args]) for args in ([], [[2]], [[2, 1], [1, 2]], [[1, 1], [2, 0], [2, 3]], [[1], [0], [7]])],
    *[("conv2d", [IMAGE, f(6, n, 3, 3), None, [1], [1], [1], g]) for n, g in ((1, 6), (2, 3), (3, 2), (2, 2), (6, 0))],
    ("conv2d", [f(6, 11, 13), f(7, 6, 3, 3)]),
    ("conv2d", [f(11, 13), f(7, 6, 3, 3)]),
    ("conv2d", [IMAGE, f(7, 6, 3, 3), f(5)]),
    ("conv2d", [IMAGE, d(7, 6, 3, 3)]),
    ("conv2d", [IMAGE, f(7, 6, 17, 3)]),
    ("conv2d", [f(0, 6, 5, 5), f(7, 6, 3, 3)]),
    ("conv2d", [IMAGE, f(7, 6, 3, 3), None, [0]]),
    ("conv2d", [IMAGE, f(7, 6, 3, 3), None, [1], [-1]]),
    ("conv2d", [h(1, 2, 5, 5), h(3, 2, 3, 3)]),
    *[
        ("conv2d.padding", [IMAGE, f(7, 6, *k), None, [1], p, dil])
        for k in ((3, 3), (2, 5), (4, 1))
        for p, dil in (("same", [1]), ("same", [2, 3]), ("valid", [1]))
    ],
    ("conv2d.padding", [IMAGE, f(7, 6, 3, 3), None, [2], "same"]),
    ("conv2d.padding", [IMAGE, f(7, 6, 3, 3), None, [1], "full"]),
    *[("conv1d", [x, f(4, 6, 3), f(4), *args]) for x in (LINE, f(6, 13)) for args in ([], [[2], [1], [3]])],
    ("conv1d.padding", [LINE, f(4, 6, 4), None, [1], "same"]),
    *[("conv3d", [CUBE, f(3, 4, 3, 2, 1), f(3), *args]) for args in ([], [[2, 1, 3], [1, 0, 2]])],
    ("conv3d.padding", [CUBE, f(3, 4, 2, 3, 4), None, [1], "same"]),
    *[("conv_transpose2d.input", [IMAGE, f(6, 5, 3, 4), f(5), *args]) for args in ([], [[2]], [[2, 3], [1, 2], [1, 0]], [[3], [1], [2], 1, [2, 1]])],
    ("conv_transpose2d.input", [IMAGE, f(6, 5, 3, 3), f(15), [2], [1], [1], 3]),
    ("conv_transpose1d", [LINE, f(6, 5, 3), f(5), [2], [1], [1]]),
    ("conv_transpose1d", [f(6, 13), f(6, 5, 3)]),
    ("conv_transpose3d.input", [CUBE, f(4, 3, 2, 2, 2), None, [2]]),
    ("conv_transpose2d.input", [IMAGE, f(5, 6, 3, 3)]),
    ("convolution", [IMAGE, f(7, 6, 3, 3), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1]),
    ("convolution", [IMAGE, f(6, 7, 3, 3), None, [2], [1], [1], True, [1], 1]),
    ("convolution", [LINE, f(4, 6, 3), f(4), [1], [0], [1], False, [0], 1]),
    ("_convolution", [IMAGE, f(7, 6, 3, 3), None, [1], [0], [1], False, [0], 1, False, False, True, True]),
    ("_convolution_mode", [IMAGE, f(7, 6, 3, 3), None, [1, 1], "same", [1, 1], 1]),
    ("conv_tbc", [f(7, 2, 3), f(3, 3, 5), f(5), 1]),
    *[("im2col", [x, [3, 2], [1, 2], [1, 0], [2, 1]]) for x in (IMAGE, f(6, 11, 13))],
    ("im2col", [IMAGE, [20, 2], [1, 1], [0, 0], [1, 1]]),
    *[("col2im", [x, [5, 7], [2, 3], [1, 1], [1, 0], [2, 2]]) for x in (f(2, 12, 9), f(12, 9))],
    ("col2im", [f(2, 12, 8), [5, 7], [2, 3], [1, 1], [1, 0], [2, 2]]),
    *[(op, [x, *args]) for op in ("max_pool2d", "max_pool2d_with_indices") for x in (IMAGE, f(6, 11, 13)) for args in POOLS],
    *[("avg_pool2d", [x, *args[:3], *([args[4]] if len(args) > 4 else [])]) for x in (IMAGE, f(6, 11, 13)) for args in POOLS],
    ("avg_pool2d", [IMAGE, [3], [2], [1], True, False]),
    ("avg_pool2d", [IMAGE, [3], [2], [1], True, True, 5]),
    ("avg_pool2d", [IMAGE, [3], [2], [1], True, True, 0]),
    *[
        (op, [x, *args])
        for op in ("max_pool1d", "max_pool1d_with_indices")
        for x in (LINE, f(6, 13))
        for args in (([3],), ([3], [2], [1]), ([2], [2], [0], [2], True))
    ],
    *[
        ("avg_pool1d", [x, *args])
        for x in (LINE, f(6, 13))
        for args in (([3],), ([3], [2], [1]), ([2], [3], [0], True), ([3], [2], [1], True, False))
    ],
    *[
        (op, [x, *args])
        for op in ("max_pool3d", "max_pool3d_with_indices")
        for x in (CUBE, f(4, 7, 11, 5))
        for args in (([2],), ([3, 2, 1], [2, 1, 3], [1, 0, 0]), ([3, 2, 2], [2], [1], [1, 2, 1], True))
    ],
    *[
        ("avg_pool3d", [x, *args])
        for x in (CUBE, f(4, 7, 11, 5))
        for args in (
            ([2],),
            ([3, 2, 1], [2, 1, 3], [1, 0, 0]),
            ([3, 2, 2], [2], [1], True),
            ([3, 2, 2], [2], [1], False, False),
            ([3], [2], [1], True, False),
            ([2], [], [0], False, True, 3),
        )
    ],
    *[
        (op, [x, size])
        for op in ("adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_max_pool2d")
        for x in (IMAGE, f(6, 11, 13))
        for size in ([1, 1], [5, 3], [7, 13], [14, 2], [11, 1])
    ],
    ("adaptive_avg_pool2d", [LINE.reshape(2, 3, 26)[0, 0], [1, 1]]),
    *[(op, [x, [n]]) for op in ("adaptive_avg_pool1d", "adaptive_max_pool1d") for x in (LINE, f(6, 13)) for n in (1, 5)],
    *[
        (op, [x, size])
        for op in ("adaptive_avg_pool3d", "_adaptive_avg_pool3d", "adaptive_max_pool3d")
        for x in (CUBE, f(4, 7, 11, 5))
        for size in ([1, 1, 1], [3, 4, 2])
    ],
    ("max_unpool2d", [f(2, 3, 2, 2), i(2, 3, 2, 2, high=30), [5, 6]]),
    ("max_pool2d", [i(1, 2, 5, 5), [2]]),
    ("max_pool2d", [b(1, 2, 5, 5), [2]]),
    ("max_pool2d", [f(0, 2, 5, 5), [2]]),
    ("avg_pool2d", [f(2, 0, 5, 5), [2]]),
    ("adaptive_avg_pool2d", [f(0, 2, 5, 5), [2, 2]]),
    ("convolution", [IMAGE, f(6, 2, 3, 3), f(6), [2, 1], [1, 2], [1, 2], False, [0], 3]),
    ("convolution", [IMAGE, f(6, 1, 5, 2), None, [3, 2], [0], [1], False, [0], 6]),
    ("convolution_backward", [f(2, 6, 6, 13), IMAGE, f(6, 2, 3, 3), [6], [2, 1], [1, 2], [1, 2], False, [0, 0], 3, [True, True, True]]),
    ("convolution_backward", [f(2, 7, 5, 6), IMAGE, f(7, 6, 3, 3), [7], [2, 2], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]]),
]
