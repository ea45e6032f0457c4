"""What complex numbers are to ops of other families. Linear algebra has its own."""

import torch

from opcase import b8, c64, case, f16, f32, f64, i8, i16, i64, ints, name_of, s, t, u8, v

c128 = torch.complex128

FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "sqrt", "rsqrt", "sinc", "log", "log1p", "log2", "log10", "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sigmoid", "reciprocal", "square", "neg", "negative", "abs", "absolute", "angle", "sgn", "arccos", "arcsinh", "arctan", "silu"]

for name in FUNCTIONS:
    case(name, "complex64", t(3, 7, dtype=c64), rtol=1e-4, why="compositions in single precision")
    case(name, "complex128", t(5, dtype=c128), rtol=1e-4, atol=1e-5, why="single precision where doubles are narrowed")

axes = torch.complex(v(0.5, -0.5, 2, -2, 0, 0, 0, 3), v(0, 0, 0, 0, 0.5, -2, 0, 1e-4))
for name in ("acos", "asin", "asinh", "atan", "acosh", "sqrt", "log"):
    picked = axes[:4] + 1e-3j if name == "acosh" else axes[[0, 1, 4, 7]]
    case(name, "beside the axes", picked, rtol=1e-4, why="compositions in single precision")

for dtype in (c64, c128):
    name = str(dtype).removeprefix("torch.")
    tight = {"rtol": 1e-4, "atol": 1e-5, "why": "single precision where doubles are narrowed"}
    case("conv1d", f"groups, bias, {name}", t(2, 4, 11, dtype=dtype), t(6, 2, 3, dtype=dtype), t(6, dtype=dtype), groups=2, **tight)
    case("conv2d", f"strides, padding, dilation, {name}", t(2, 3, 7, 5, dtype=dtype), t(5, 3, 3, 2, dtype=dtype), None, [2, 1], [1, 2], [1, 2], **tight)
    case("conv2d.padding", f"same, {name}", t(3, 7, 5, dtype=dtype), t(2, 3, 3, 3, dtype=dtype), t(2, dtype=dtype), padding="same", **tight)
    case("conv3d", f"no batch, {name}", t(2, 3, 5, 3, dtype=dtype), t(3, 2, 2, 3, 2, dtype=dtype), **tight)
    case("conv_transpose1d", f"output padding, {name}", t(2, 3, 5, dtype=dtype), t(3, 2, 3, dtype=dtype), t(2, dtype=dtype), [2], [1], [1], **tight)
    case("conv_transpose2d.input", f"groups, {name}", t(1, 4, 3, 5, dtype=dtype), t(4, 1, 3, 2, dtype=dtype), groups=2, **tight)
    case("conv2d", f"empty batch, {name}", t(0, 3, 5, 5, dtype=dtype), t(2, 3, 3, 3, dtype=dtype))
    case("prod", f"all, {name}", t(2, 5, dtype=dtype), **tight)
    case("prod.dim_int", f"keepdim, {name}", t(2, 3, 5, dtype=dtype), 1, True, **tight)
    case("prod.dim_int", f"nothing, {name}", t(2, 0, dtype=dtype), 1)
    index = ints(3, 5, lo=0, hi=4)
    for reduce in ("sum", "prod", "mean"):
        case("scatter_reduce.two", f"{reduce}, {name}", t(5, 5, dtype=dtype), 0, index, t(3, 5, dtype=dtype), reduce, **tight)
    case("scatter_reduce.two", f"without self, {name}", t(5, 5, dtype=dtype), 0, index, t(3, 5, dtype=dtype), "sum", include_self=False, **tight)
    case("scatter_add", name, t(5, 5, dtype=dtype), 0, index, t(3, 5, dtype=dtype), **tight)
    case("index_add", f"alpha, {name}", t(5, 3, dtype=dtype), 0, torch.tensor([4, 0, 4]), t(3, 3, dtype=dtype), alpha=2, **tight)
    case("scatter.reduce", f"multiply, {name}", t(5, 5, dtype=dtype), 0, index, t(3, 5, dtype=dtype), reduce="multiply", **tight)
    case("logaddexp", f"either larger, {name}", t(3, 5, dtype=dtype), t(5, dtype=dtype), **tight)
    case("logcumsumexp", f"beyond a turn, {name}", t(3, 11, dtype=dtype) * 3, 1, **tight)
    case("logcumsumexp", f"first, {name}", t(7, 2, dtype=dtype), 0, **tight)
    case("logcumsumexp", f"nothing, {name}", t(2, 0, dtype=dtype), 1)
    case("ldexp.Tensor", f"integers, {name}", t(5, dtype=dtype), ints(5, lo=-3, hi=3), **tight)
    case("combinations", f"pairs, {name}", t(5, dtype=dtype))
    case("combinations", f"repeated, {name}", t(3, dtype=dtype), 2, True)
    case("randn", f"shape, {name}", [2, 3], dtype=dtype, meta_only=True)
    case("rand", f"shape, {name}", [2, 3], dtype=dtype, meta_only=True)
    case("pow.Tensor_Scalar", f"a complex power, {name}", t(5, dtype=dtype), 1.5 - 0.5j, **tight)

case("logaddexp", "nothing to add", torch.complex(v(-torch.inf, -torch.inf, 1), v(0, 0, 1)), torch.complex(v(-torch.inf, 2, -torch.inf), v(0, 1, 0)))

window = torch.hann_window(8)
signal = t(2, 37)
for center in (True, False):
    for onesided in (True, False):
        for normalized in (True, False):
            spectrum = torch.stft(signal, 8, 3, 8, torch.ones(8), center, "reflect", normalized, onesided, return_complex=True)
            where = ", ".join((("centered" if center else "from the start"), ("one side" if onesided else "both sides"), *(["normalized"] if normalized else [])))
            case("istft", where, spectrum, 8, 3, 8, torch.ones(8), center, normalized, onesided)
case("istft", "length beyond the signal", torch.stft(t(29), 8, 2, window=window, return_complex=True), 8, 2, None, window, length=40)
case("istft", "length within it", torch.stft(t(29), 8, 2, window=window, return_complex=True), 8, 2, None, window, length=17)
case("istft", "short window", torch.stft(t(2, 29), 8, 2, 5, torch.hamming_window(5), return_complex=True), 8, 2, 5, torch.hamming_window(5))
case("istft", "no window, default hop", torch.stft(t(3, 23), 8, return_complex=True, window=torch.ones(8)), 8)
case("istft", "odd transform", torch.stft(t(23), 7, 3, window=torch.ones(7), return_complex=True), 7, 3, None, torch.ones(7))
case("istft", "complex signal", torch.stft(t(2, 29, dtype=c64), 8, 2, window=window, onesided=False, return_complex=True), 8, 2, None, window, onesided=False, return_complex=True)
case("istft", "complex window", torch.stft(t(29, dtype=c64), 8, 2, window=window + 0.5j, onesided=False, return_complex=True), 8, 2, None, window + 0.5j, onesided=False, return_complex=True)
case("istft", "float64", torch.stft(t(29, dtype=f64), 8, 2, window=window.to(f64), return_complex=True), 8, 2, None, window.to(f64), atol=1e-5, why="single precision where doubles are narrowed")
case("stft", "parts", t(29), 8, 3, window=window, return_complex=False)
case("stft.center", "complex signal", t(2, 29, dtype=c64), 8, 3, window=window, onesided=False, return_complex=True)
case("stft.center", "constant padding", t(29, dtype=f32), 8, 3, window=window, pad_mode="constant", return_complex=True)
case("stft", "from where the window begins", t(2, 31), 8, 3, 5, torch.hann_window(5), return_complex=True, align_to_window=True)
case("stft", "from where the transform begins", t(31), 8, 3, 5, torch.hann_window(5), return_complex=True, align_to_window=False)
case("complex", "parts that broadcast", t(3, 1), t(5))
case("complex", "a part that is a number of its own", s(2.0), t(5))
case("real", "of a transposed", t(3, 5, dtype=c64).t())
case("imag", "of every second", t(7, dtype=c64)[::2])

half_turn = torch.tensor([1.5 - 2j, 3 + 4j, 1j])
for dtype in (i8, u8, i16, f16, f32):
    for op in ("cumsum", "cumprod", "prod.dim_int"):
        case(op, f"complex64 to {name_of(dtype)}", half_turn, 0, dtype=dtype)
    case("sum.dim_IntList", f"complex64 to {name_of(dtype)}", half_turn, [0], dtype=dtype)
case("mean", "complex64 to float16", half_turn, dtype=f16)
case("_to_copy", "complex64 to bool", torch.tensor([0j, 1j, 1 + 0j]), dtype=b8)
case("cat", "complex64 and float64", [half_turn, v(1, 2, dtype=f64)])
case("stack", "int64 and complex64", [v(1, 2, 3, dtype=i64), half_turn])
case("where.ScalarOther", "complex64", v(True, False, True, dtype=b8), half_turn, 0.5)
case("where.ScalarSelf", "complex64", v(True, False, True, dtype=b8), 0.5, half_turn)
case("where.Scalar", "a complex number", v(True, False, dtype=b8), 0.5, 2j)
case("div.Tensor_mode", "complex64, not rounded", half_turn, v(1, 2, 4), rounding_mode=None)

# Quotients of parts whose squares are out of range, and functions next to their poles.
far = torch.tensor([1 + 1j, 1e20 + 1j, 1e-20 + 0j, 1e-25 - 1e-25j, 2 + 0j, 1e20 - 1e20j, 3e30 + 4j, 5e-30 + 2j, 1, 1j])
near = torch.tensor([1 + 1e-3j, -1 + 1e-3j, 0.5 + 1j, 1e-3 - 1j, 2 + 0j, 1e20 + 1e20j, 3 - 4j, 1e-25 + 1e-25j, 2j, 0j])
case("div.Tensor", "far apart", near, far)
case("reciprocal", "large and small", far)
case("rsqrt", "large and small", far)
case("div.Tensor", "float64 of one part", near.to(torch.complex128), v(*range(3, 13)))
case("div.Tensor", "by zero", near[:2], torch.zeros(2, dtype=c64))
case("atanh", "near the poles", near)
case("atan", "near the poles", near)
for op in ("exp", "sinh", "cosh", "exp2"):
    case(op, "of real numbers out of range", torch.tensor([100 + 0j, 2 + 0j, -1j]))
case("nan_to_num", "complex64", torch.complex(v(1, float("inf"), float("nan"), -float("inf")), v(float("nan"), 2, float("inf"), -3)))
case("nan_to_num", "complex64, given", torch.complex(v(1, float("inf")), v(float("nan"), 2)), 7.0, 8.0, 9.0)
case("nonzero_static", "complex64", torch.tensor([1 + 1j, 0, 0, 2j, 3]), size=3)
small = torch.tensor([1e-8 + 1e-9j, -1e-6 + 1e-3j, 0.4j, -0.3 + 0.2j, 3 - 4j, 0j])
case("log1p", "near zero", small)
case("expm1", "near zero", small)
case("linspace", "complex numbers", 1j, 2 + 3j, 5)
case("linspace.Tensor_Scalar", "a complex number and a real one", torch.tensor(1 - 2j), 3, 4)
