"""Convolutions and the rearrangements that go with them."""
from opcase import bf16, case, f16, f64, ints, t, u8

# name: input, weight, bias, stride, padding, dilation, groups
CONV2D = {
    "3x3": ((2, 3, 7, 11), (5, 3, 3, 3), True, 1, 0, 1, 1),
    "3x3 padded, stride 2": ((1, 3, 7, 11), (5, 3, 3, 3), True, 2, 1, 1, 1),
    "1x1": ((2, 7, 5, 3), (11, 7, 1, 1), True, 1, 0, 1, 1),
    "1x1 stride 2, no bias": ((1, 7, 5, 3), (5, 7, 1, 1), False, 2, 0, 1, 1),
    "1x1 padded": ((1, 3, 3, 2), (2, 3, 1, 1), True, 1, 1, 1, 1),
    "depthwise 3x3": ((2, 5, 7, 11), (5, 1, 3, 3), True, 1, 1, 1, 5),
    "depthwise 5x5 stride 2": ((1, 5, 11, 7), (5, 1, 5, 5), True, 2, 2, 1, 5),
    "depthwise multiplier 2": ((1, 3, 5, 7), (6, 1, 3, 3), False, 1, 1, 1, 3),
    "depthwise multiplier 3, stride 2": ((2, 5, 11, 7), (15, 1, 5, 3), True, 2, (2, 1), 1, 5),
    "grouped": ((2, 6, 5, 7), (4, 3, 3, 3), True, 1, 1, 1, 2),
    "dilated": ((1, 2, 11, 13), (3, 2, 3, 3), True, 1, 2, 2, 1),
    "asymmetric kernel and strides": ((1, 2, 11, 13), (3, 2, 1, 5), True, (2, 3), (0, 2), (1, 1), 1),
    "7x7 stride 2 padding 3": ((1, 3, 17, 13), (5, 3, 7, 7), True, 2, 3, 1, 1),
    "patches": ((1, 3, 8, 12), (7, 3, 4, 4), True, 4, 0, 1, 1),
    "many channels": ((1, 19, 5, 5), (37, 19, 3, 3), True, 1, 1, 1, 1),
    "depthwise dilated, uneven padding": ((1, 3, 9, 8), (3, 1, 3, 3), True, 1, (2, 1), (2, 1), 3),
    "depthwise 7x7": ((1, 3, 9, 11), (3, 1, 7, 7), True, 1, 3, 1, 3),
    "kernel as large as the input": ((2, 3, 5, 7), (2, 3, 5, 7), True, 1, 0, 1, 1),
}


def pair(x, n=2):
    return list(x) if isinstance(x, tuple) else [x] * n


for name, (x, w, bias, stride, padding, dilation, groups) in CONV2D.items():
    case("conv2d", name, t(*x), t(*w, lo=-1, hi=1), t(w[0]) if bias else None, *map(pair, (stride, padding, dilation)), groups)
    case("convolution", name, t(*x), t(*w, lo=-1, hi=1), t(w[0]) if bias else None, *map(pair, (stride, padding, dilation)), False, [0, 0], groups)

case("conv2d", "one number for both dims", t(1, 2, 7, 5), t(3, 2, 3, 3), None, [2], [1], [1])
case("conv2d", "no batch dim", t(2, 7, 5), t(3, 2, 3, 3), t(3))
case("conv2d", "channels-last input", t(2, 7, 5, 3).permute(0, 3, 1, 2), t(5, 3, 3, 3), t(5), [1, 1], [1, 1])
case("conv2d", "strided weight", t(1, 3, 5, 7), t(3, 3, 3, 5).permute(3, 0, 1, 2), None)
case("conv2d", "sliced input", t(1, 5, 9, 11)[:, 1:4, ::2, 1:8], t(2, 3, 3, 3), None)
case("conv2d", "depthwise multiplier 2, sliced channels", t(1, 5, 7, 9).permute(0, 3, 1, 2)[:, 2:5], t(6, 1, 3, 3), t(6), [1, 2], [1, 0], [1, 1], 3)
case("conv2d", "float64", t(1, 2, 5, 5, dtype=f64), t(3, 2, 3, 3, dtype=f64), t(3, dtype=f64))
case("conv2d", "float16", t(1, 2, 5, 5, dtype=f16), t(3, 2, 3, 3, dtype=f16), t(3, dtype=f16))
case("conv2d", "bfloat16", t(1, 2, 5, 5, dtype=bf16), t(3, 2, 3, 3, dtype=bf16), t(3, dtype=bf16))
case("conv2d", "empty batch", t(0, 2, 5, 5), t(3, 2, 3, 3), t(3))
case("conv2d.padding", "same", t(1, 2, 7, 5), t(3, 2, 3, 4), t(3), [1, 1], "same")
case("conv2d.padding", "same, dilated", t(1, 2, 7, 9), t(3, 2, 3, 3), None, [1, 1], "same", [2, 1])
case("conv2d.padding", "valid", t(1, 2, 7, 5), t(3, 2, 3, 3), t(3), [2, 1], "valid")

case("conv1d", "padded", t(2, 3, 11), t(5, 3, 3), t(5), [1], [1])
case("conv1d", "stride, dilation", t(1, 3, 17), t(5, 3, 3), None, [2], [2], [3])
case("conv1d", "depthwise", t(1, 5, 11), t(5, 1, 5), t(5), [1], [2], [1], 5)
case("conv1d", "depthwise multiplier 2, no batch dim", t(5, 11), t(10, 1, 3), t(10), [1], [1], [2], 5)
case("conv1d", "no batch dim", t(3, 11), t(5, 3, 3), t(5))
case("conv1d.padding", "same", t(2, 3, 11), t(5, 3, 4), t(5), [1], "same")
case("convolution", "1d", t(2, 3, 11), t(5, 3, 3), t(5), [2], [1], [1], False, [0], 1)
case("conv3d", "3x3x3", t(1, 2, 5, 4, 7), t(3, 2, 3, 3, 3), t(3), [1, 1, 1], [1, 0, 1])
case("conv3d", "stride, groups", t(1, 4, 5, 5, 5), t(6, 2, 2, 3, 2), None, [2, 1, 2], [0, 1, 1], [1, 1, 1], 2)
case("conv3d", "depthwise multiplier 3", t(2, 2, 5, 4, 7), t(6, 1, 2, 3, 3), t(6), [2, 1, 1], [1, 1, 0], [1, 1, 2], 2)
case("convolution", "3d", t(1, 2, 5, 4, 7), t(3, 2, 1, 2, 3), t(3), [1, 2, 1], [0, 1, 1], [1, 1, 2], False, [0, 0, 0], 1)

case("conv_transpose2d.input", "stride 2", t(2, 3, 5, 7), t(3, 5, 3, 3), t(5), [2, 2])
case("conv_transpose2d.input", "padding, output padding", t(1, 3, 5, 7), t(3, 2, 3, 3), t(2), [2, 2], [1, 1], [1, 1])
case("conv_transpose2d.input", "groups, dilation", t(1, 4, 5, 3), t(4, 3, 3, 2), None, [1, 2], [1, 0], [0, 1], 2, [2, 1])
case("conv_transpose2d.input", "2x2 upsampling", t(1, 3, 3, 5), t(3, 2, 2, 2), t(2), [2, 2])
case("conv_transpose1d", "stride 3", t(2, 3, 5), t(3, 2, 4), t(2), [3], [1], [2])
case("conv_transpose3d.input", "stride 2", t(1, 2, 3, 2, 3), t(2, 3, 2, 3, 2), t(3), [2, 1, 2])
case("convolution", "transposed", t(1, 3, 5, 7), t(3, 2, 3, 3), t(2), [2, 3], [1, 0], [1, 1], True, [1, 2], 1)
case("convolution", "transposed, groups", t(1, 4, 5, 3), t(4, 3, 3, 3), None, [2, 2], [1, 1], [1, 1], True, [0, 0], 2)
case("_convolution", "2d", t(1, 2, 5, 5), t(3, 2, 3, 3), t(3), [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True, True)

case("convolution_backward", "2d", t(1, 3, 5, 7), t(1, 2, 5, 7), t(3, 2, 3, 3), [3], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
case("convolution_backward", "stride 2, groups", t(2, 4, 3, 4), t(2, 2, 5, 7), t(4, 1, 3, 3), [4], [2, 2], [1, 1], [1, 1], False, [0, 0], 2,
     [True, True, True])
case("convolution_backward", "only the weight", t(1, 3, 9), t(1, 2, 11), t(3, 2, 3), [3], [1], [0], [1], False, [0], 1, [False, True, False])

case("im2col", "padded", t(2, 3, 5, 7), [3, 2], [1, 1], [1, 0], [2, 1])
case("im2col", "dilated", t(1, 2, 7, 7), [2, 2], [2, 2], [0, 0], [1, 1])
case("col2im", "overlapping", t(2, 12, 24), [5, 7], [2, 2], [1, 1], [0, 0], [1, 1])
case("col2im", "stride, padding", t(1, 18, 12), [5, 7], [3, 3], [1, 1], [1, 1], [2, 2])
case("pixel_shuffle", "2", t(2, 12, 3, 5), 2)
case("pixel_shuffle", "3", t(1, 9, 2, 2), 3)
case("pixel_unshuffle", "2", t(2, 3, 4, 6), 2)
case("channel_shuffle", "3 groups", t(2, 6, 3, 5), 3)
case("native_channel_shuffle", "2 groups", ints(1, 4, 2, 3), 2)
case("col2im", "no overlap", t(1, 8, 6), [4, 6], [2, 2], [1, 1], [0, 0], [2, 2])

case("conv2d", "int64", ints(2, 3, 5, 7), ints(4, 3, 3, 2), ints(4), stride=[2, 2], padding=[1, 1])
case("conv1d", "uint8 wraps around", ints(1, 2, 9, lo=0, hi=200, dtype=u8), ints(4, 1, 3, lo=0, hi=9, dtype=u8), groups=2)
case("conv_transpose1d", "int64", ints(1, 2, 5), ints(2, 3, 3), stride=[2])

case("convolution_backward", "transposed, groups", t(1, 6, 10, 5), t(1, 4, 5, 3), t(4, 3, 3, 3), [6], [2, 2], [1, 1], [1, 1], True, [1, 0], 2,
     [True, True, True])
case("conv_transpose2d.input", "bfloat16, no rows in the result", t(1, 2, 1, 3, dtype=bf16), t(2, 3, 2, 2, dtype=bf16), t(3, dtype=bf16), padding=[1, 0])
# The kernel is as large as the input, and an element is added behind it: that gives two results.
case("conv1d.padding", "same, as large as the input", t(2, 3, 2), t(5, 3, 2), t(5), padding="same")
case("conv2d.padding", "same, as large as the input", t(2, 3, 1, 4), t(5, 3, 1, 4), t(5), padding="same")
# As many results as elements, which the padding moves.
case("conv1d", "1, padded, wide stride", t(1, 4, 1), t(8, 2, 1), t(8), stride=[3], padding=[1], groups=2)
case("conv2d", "1x1, padded, wide stride", t(2, 3, 2, 1), t(4, 3, 1, 1), stride=[3, 2], padding=[1, 1])
case("conv2d", "1x1, padded, int64", ints(1, 3, 1, 1), ints(4, 3, 1, 1), ints(4), stride=[3, 3], padding=[1, 1])
case("conv3d", "one image in depth, which a wide stride steps over", t(1, 2, 1, 4, 5), t(3, 2, 1, 3, 3), stride=[3, 1, 1], padding=[1, 0, 0])
case("conv3d", "channels by themselves, in depth, which a wide stride steps over", t(1, 2, 1, 4, 5), t(2, 1, 1, 3, 3), t(2), stride=[3, 1, 1], padding=[1, 0, 0], groups=2)
