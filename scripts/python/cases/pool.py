"""Pooling."""

import torch

from opcase import bf16, case, distinct, f16, f32, f64, i32, i64, inf, ints, name_of, t

for op in ("max_pool2d", "max_pool2d_with_indices"):
    case(op, "2x2", distinct(2, 3, 4, 6), [2, 2])
    case(op, "3x3 stride 2 padding 1", distinct(1, 3, 7, 11), [3, 3], [2, 2], [1, 1])
    case(op, "ceil mode", distinct(1, 2, 7, 8), [3, 3], [2, 2], [0, 0], [1, 1], True)
    case(op, "ceil mode, padding: last window starts inside", distinct(1, 1, 6, 5), [2, 2], [2, 2], [1, 1], [1, 1], True)
    case(op, "dilated", distinct(1, 2, 9, 11), [3, 2], [1, 2], [1, 0], [2, 3])
    case(op, "one number", distinct(1, 2, 9, 11), [3])
    case(op, "no batch dim", distinct(2, 5, 7), [2, 3])
    case(op, "nan wins", t(1, 1, 4, 4).masked_fill(t(1, 1, 4, 4) > 1, float("nan")), [2, 2])
    case(op, "all minus infinity", t(1, 1, 2, 4).fill_(-inf), [2, 2])
    case(op, "channels-last strides", distinct(1, 5, 7, 3).permute(0, 3, 1, 2), [3, 3], [2, 2], [1, 1])
    case(op, "float16", distinct(1, 2, 5, 5, dtype=f16), [3, 3], [1, 1])
case("max_pool2d", "int64", distinct(1, 2, 5, 5, dtype=i64), [2, 2])
case("max_pool1d", "stride 2", distinct(2, 3, 11), [3], [2], [1])
case("max_pool1d_with_indices", "ceil mode", distinct(2, 3, 10), [3], [2], [0], [1], True)
case("max_pool3d", "2x2x2", distinct(1, 2, 4, 6, 5), [2, 2, 2])
case("max_pool3d_with_indices", "padded", distinct(1, 2, 5, 4, 7), [3, 2, 3], [2, 2, 2], [1, 1, 1])
case("max_pool3d_with_indices", "ceil mode, dilated", distinct(1, 1, 6, 5, 7), [2, 2, 2], [2, 1, 2], [0, 0, 0], [1, 2, 1], True)

case("avg_pool2d", "2x2", t(2, 3, 4, 6), [2, 2])
case("avg_pool2d", "3x3 stride 2 padding 1 counts padding", t(1, 3, 7, 11), [3, 3], [2, 2], [1, 1])
case("avg_pool2d", "padding not counted", t(1, 3, 7, 11), [3, 3], [2, 2], [1, 1], False, False)
case("avg_pool2d", "ceil mode", t(1, 2, 7, 8), [3, 3], [2, 2], [1, 1], True)
case("avg_pool2d", "ceil mode, padding not counted", t(1, 2, 6, 8), [3, 2], [2, 3], [1, 1], True, False)
case("avg_pool2d", "divisor", t(1, 2, 5, 5), [2, 3], [1, 1], [0, 0], False, True, 5)
case("avg_pool2d", "no batch dim", t(2, 5, 7), [2])
case("avg_pool2d", "bfloat16 permuted", t(1, 5, 7, 3, dtype=bf16).permute(0, 3, 1, 2), [3, 3], [1, 1], [1, 1], False, False)
case("avg_pool1d", "padding", t(2, 3, 11), [3], [2], [1])
case("avg_pool1d", "padding not counted", t(2, 3, 11), [3], [2], [1], False, False)
case("avg_pool3d", "2x2x2", t(1, 2, 4, 6, 5), [2, 2, 2])
case("avg_pool3d", "padded", t(1, 2, 5, 4, 7), [3, 2, 3], [2, 2, 2], [1, 1, 1], False, False)
case("avg_pool3d", "divisor, ceil mode", t(1, 1, 5, 4, 5), [2, 2, 2], [2, 2, 2], [0, 0, 0], True, True, 3)

for op in ("adaptive_avg_pool2d", "_adaptive_avg_pool2d"):
    case(op, "to one", t(2, 3, 5, 7), [1, 1])
    case(op, "uneven windows", t(1, 3, 7, 11), [3, 5])
    case(op, "larger than the input", t(1, 2, 3, 2), [5, 7])
    case(op, "same size", t(1, 2, 3, 5), [3, 5])
    case(op, "no batch dim", t(2, 5, 7), [2, 3])
    case(op, "channels-last strides", t(1, 5, 7, 3).permute(0, 3, 1, 2), [2, 2])
    case(op, "float64", t(1, 2, 5, 7, dtype=f64), [2, 3])
case("adaptive_avg_pool1d", "uneven", t(2, 3, 11), [4])
case("adaptive_avg_pool1d", "to one", t(2, 3, 11), [1])
for op in ("adaptive_avg_pool3d", "_adaptive_avg_pool3d"):
    case(op, "to one", t(1, 2, 3, 5, 2), [1, 1, 1])
    case(op, "uneven", t(1, 2, 5, 7, 3), [2, 3, 2])
case("adaptive_max_pool2d", "uneven", distinct(1, 3, 7, 11), [3, 5])
case("adaptive_max_pool2d", "to one", distinct(2, 3, 5, 7), [1, 1])
case("adaptive_max_pool1d", "uneven", distinct(2, 3, 11), [4])
case("adaptive_max_pool3d", "uneven", distinct(1, 2, 5, 3, 4), [2, 2, 3])

case("fractional_max_pool2d", "2x3 windows", distinct(2, 3, 9, 11), [2, 3], [4, 5], t(2, 3, 2, lo=0, hi=1))
case("fractional_max_pool2d", "no batch dim, one window", distinct(2, 5, 7).transpose(1, 2), [3, 2], [1, 3], t(1, 2, 2, lo=0, hi=1))
case("fractional_max_pool2d", "numbers that no generator draws", distinct(1, 1, 16, 16), [1, 1], [8, 8], t(1, 1, 2, lo=-5, hi=5))
case("fractional_max_pool3d", "2x2x3 windows", distinct(1, 2, 5, 7, 8), [2, 2, 3], [3, 2, 4], t(1, 2, 3, lo=0, hi=1))

case("max_pool2d_with_indices_backward", "3x3 stride 2", t(1, 2, 3, 4), distinct(1, 2, 5, 7), [3, 3], [2, 2], [1, 1], [1, 1], False,
     ints(1, 2, 3, 4, lo=0, hi=34))
case("avg_pool2d_backward", "padding", t(1, 2, 3, 4), t(1, 2, 5, 7), [3, 3], [2, 2], [1, 1], False, True, None)
case("avg_pool2d_backward", "padding not counted", t(1, 2, 3, 4), t(1, 2, 5, 7), [3, 3], [2, 2], [1, 1], False, False, None)
case("_adaptive_avg_pool2d_backward", "uneven", t(1, 2, 3, 2), t(1, 2, 7, 5))
case("max_pool2d_with_indices_backward", "2x2", t(1, 2, 2, 3), distinct(1, 2, 4, 6), [2, 2], [2, 2], [0, 0], [1, 1], False,
     ints(1, 2, 2, 3, lo=0, hi=23))
case("max_pool3d_with_indices", "plain", distinct(2, 1, 4, 4, 4), [2, 2, 2])
case("_adaptive_avg_pool3d", "larger than the input", t(1, 2, 2, 3, 2), [3, 2, 3])
case("avg_pool2d_backward", "ceil mode, divisor", t(1, 2, 3, 4), t(1, 2, 5, 7), [2, 2], [2, 2], [0, 0], True, True, 3)
case("_adaptive_avg_pool2d_backward", "to one", t(1, 2, 1, 1), t(1, 2, 3, 5))

spread = torch.tensor([[[[0, 3, 4], [12, 15, 22]], [[7, 2, 5], [18, 20, 17]]]])
case("max_unpool2d", "2x2 windows", t(1, 2, 2, 3), spread, [4, 6])
case("max_unpool3d", "2x2x1 windows", t(1, 1, 1, 2, 2), torch.tensor([[[[[0, 3], [9, 14]]]]]), [2, 4, 2], [2, 2, 1], [0, 0, 0])

pooled3 = lambda *args: torch.ops.aten.max_pool3d_with_indices(*args)  # noqa: E731
volume = t(2, 3, 5, 4, 7)
values, places = pooled3(volume, [2, 2, 3], [2, 1, 2], [1, 0, 1])
case("max_pool3d_with_indices_backward", "strides and padding", t(*values.shape), volume, [2, 2, 3], [2, 1, 2], [1, 0, 1], [1, 1, 1], False, places)
plane = t(2, 3, 5, 7)
values, places = torch.ops.aten.adaptive_max_pool2d(plane, [2, 3])
case("adaptive_max_pool2d_backward", "uneven windows", t(*values.shape), plane, places)
values, places = torch.ops.aten.adaptive_max_pool3d(volume, [2, 3, 2])
case("adaptive_max_pool3d_backward", "uneven windows", t(*values.shape), volume, places)
for name, padding, ceil, counted, divisor in (
    ("padding counted", [1, 0, 1], False, True, None),
    ("padding not counted, ceil", [1, 1, 0], True, False, None),
    ("a divisor", [0, 0, 0], False, True, 5),
):
    shape = torch.nn.functional.avg_pool3d(volume, [2, 3, 2], [2, 1, 3], padding, ceil, counted, divisor).shape
    case("avg_pool3d_backward", name, t(*shape), volume, [2, 3, 2], [2, 1, 3], padding, ceil, counted, divisor)
case("_adaptive_avg_pool3d_backward", "uneven windows", t(2, 3, 2, 3, 5), volume)
case("replication_pad1d_backward", "both ends", t(2, 3, 12), t(2, 3, 7), [2, 3])
case("replication_pad2d_backward", "one end cut", t(2, 3, 7, 7), t(2, 3, 5, 7), [3, -3, 1, 1])
case("replication_pad3d_backward", "all ends", t(1, 2, 6, 7, 9), t(1, 2, 3, 4, 5), [1, 3, 2, 1, 1, 2])

for rank, shape, kernel, output in ((2, (2, 3, 9, 11), [2, 3], [4, 5]), (3, (1, 2, 5, 7, 8), [2, 2, 3], [3, 2, 4])):
    x, draws = distinct(*shape), t(*shape[:2], rank, lo=0, hi=1)
    _, places = getattr(torch.ops.aten, f"fractional_max_pool{rank}d")(x, kernel, output, draws)
    case(f"fractional_max_pool{rank}d_backward", "windows", t(*shape[:2], *output), x, kernel, output, places)
case("reflection_pad1d_backward", "both ends", t(2, 3, 12), t(2, 3, 7), [2, 3])
case("reflection_pad1d_backward", "no batch, one end cut", t(3, 9), t(3, 7), [-2, 4])
case("reflection_pad2d_backward", "all ends", t(2, 3, 8, 12), t(2, 3, 5, 7), [3, 2, 1, 2])
case("reflection_pad3d_backward", "all ends", t(1, 2, 6, 7, 9), t(1, 2, 3, 4, 5), [1, 3, 2, 1, 1, 2])

for dtype in (f16, bf16):
    name = str(dtype)[6:]
    case("max_pool2d_with_indices", f"{name}, dilated, ceil", distinct(2, 3, 11, 9, dtype=dtype), [3, 3], [2, 2], [1, 1], [2, 2], True)
    case("avg_pool2d", f"{name}, padding not counted, ceil", t(2, 3, 11, 9, dtype=dtype), [3, 2], [2, 2], [1, 1], True, False)
    case("avg_pool1d", name, t(2, 3, 29, dtype=dtype), [5], [2])
    case("_adaptive_avg_pool2d", f"{name}, uneven windows", t(2, 3, 11, 9, dtype=dtype), [4, 5])
    case("adaptive_max_pool2d", f"{name}, uneven windows", distinct(2, 3, 11, 9, dtype=dtype), [4, 5])
for dtype in (torch.int8, torch.uint8, torch.int16):
    case("max_pool2d_with_indices", str(dtype)[6:], torch.arange(2 * 7 * 5).reshape(1, 2, 7, 5).mul(37).remainder(256).to(dtype), [3, 3], [2, 2], [1, 1])
channels = t(2, 1, 40, 3, 2)
for name, size, padding, counted, divisor in (
    ("windows over channels", 25, 12, True, None),
    ("windows over channels, not counted", 24, 12, False, None),
    ("windows over channels, a divisor", 9, 1, False, 7),
    ("windows over channels that are not padded", 30, 0, True, None),
):
    window = [[size, 1, 1], [1, 1, 1], [padding, 0, 0], False, counted, divisor]
    shape = torch.nn.functional.avg_pool3d(channels, *window).shape
    case("avg_pool3d_backward", name, t(*shape), channels, *window)
case("avg_pool3d_backward", "wide steps of one image", t(2, 5, 2, 2), t(2, 23, 5, 4), [7, 2, 3], [4, 3, 1], [1, 0, 0], False, False, None)
# A dilated window may step over all elements: its maximum is the least number.
for dtype in (f32, f64, f16, i32, torch.int16, torch.int8, torch.uint8):
    for op, shape in (("max_pool1d_with_indices", (2, 2)), ("max_pool2d_with_indices", (1, 2, 2)), ("max_pool3d_with_indices", (2, 1, 3, 1, 2))):
        before = [1] * (int(op[8]) - 1)
        places = (*([*before, n] for n in (2, 2)), [*(0 for _ in before), 1], [*before, 3])
        case(op, f"{name_of(dtype)}, windows without an element", t(*shape, dtype=dtype, lo=1, hi=9), *places, True)
