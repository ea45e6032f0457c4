"""Fourier transforms, complex numbers, sizes, assertions."""
import torch

from opcase import b8, bf16, c64, case, f16, f32, f64, i8, i64, ints, name_of, s, t, v

for n in (5, 8, 12):
    case("_fft_r2c", f"{n} points, one sided", t(2, n), [1], 0, True)
case("_fft_r2c", "two dims, both sides, normalized", t(3, 4, dtype=f64), [0, 1], 1, False)
case("_fft_r2c", "scaled by n", t(6), [0], 2, True)
case("_fft_c2r", "odd", t(3, dtype=c64), [0], 2, 5)
case("_fft_c2r", "even, rows", t(2, 5, dtype=c64), [1], 0, 8)
case("_fft_c2c", "forward", t(2, 7, dtype=c64), [1], 0, True)
case("_fft_c2c", "backward, two dims", t(3, 4, dtype=c64), [0, 1], 2, False)
case("fft_fft", "real input", t(7))
case("fft_rfft", "padded", t(2, 5), 8)
case("fft_irfft", "length", t(4, dtype=c64), 7)
case("fft_rfft2", "two dims", t(3, 4))
case("fft_fftshift", "even and odd", t(3, 4))
case("stft", "onesided", t(20), 8, 4, 8, None, False, True, True)

case("complex", "parts", t(2, 3), t(3))
case("polar", "modulus and angle", t(3, lo=0), t(3))
case("angle", "complex64", t(5, dtype=c64))
case("angle", "float32", v(-1.0, 0.0, 2.0))
case("conj_physical", "complex64", t(3, dtype=c64))
case("_conj", "complex64", t(3, dtype=c64))
case("resolve_conj", "complex64", t(3, dtype=c64))
case("exp", "complex64", t(3, dtype=c64))
case("reciprocal", "complex64", t(3, dtype=c64))
case("mul.Scalar", "complex number", t(3, dtype=c64), 2j)

x = t(2, 3, 5)
case("sym_size.int", "size", x, -1)
case("sym_numel", "elements", x)
case("sym_stride.int", "stride", t(3, 2).t(), 0)

case("_assert_tensor_metadata", "holds", t(2, 3), None, None, torch.float32, device=torch.device("cpu"), layout=torch.strided)
case("_assert_async.msg", "holds", s(True, b8), "not reached")
case("_assert_scalar", "holds", True, "not reached")
case("sym_constrain_range_for_size", "holds", 5, min=2, max=9)
case("sym_constrain_range", "holds", 5, min=2, max=9)
case("_functional_assert_async.msg", "holds", s(True, b8), "not reached", t(1))
case("_functional_assert_scalar", "holds", True, "not reached", t(1))
case("_make_dep_token", "token", meta_only=True)

case("linalg_norm", "frobenius", t(3, 5))
case("linalg_matrix_norm", "one norm", t(2, 3, 5), 1)
case("linalg_norm.ord_str", "frobenius", t(3, 5), "fro")
case("linalg_norm.ord_str", "nuclear, keepdim", t(2, 3, 5), "nuc", [0, 2], True)
case("linalg_inv_ex", "well conditioned", t(3, 3).add(torch.eye(3) * 5))
case("linalg_det", "3x3", t(3, 3))
case("linalg_solve", "two right sides", t(3, 3).add(torch.eye(3) * 5), t(3, 2))
case("linalg_cholesky_ex", "3x3", torch.eye(3) * 7 + t(3, 3, lo=0, hi=0.5).fill_(0.5))
case("linalg_ldl_factor_ex", "lower triangle counts", t(7, 7))
case("linalg_ldl_factor_ex", "batch, blocks of two", t(3, 5, 5).mT + t(3, 5, 5) - 2 * torch.diag_embed(t(3, 5, 5).diagonal(dim1=1, dim2=2)))
case("linalg_ldl_factor_ex", "zeros", t(3, 3).fill_(0))
case("linalg_ldl_factor", "float64", t(4, 4, dtype=f64))
case("linalg_ldl_solve", "batch broadcast", *torch.linalg.ldl_factor(t(6, 6)), t(2, 6, 3))
case("linalg_ldl_solve", "blocks of two", *torch.linalg.ldl_factor(v(0, 1, 2, 4, 1, 0, 3, 1, 2, 3, 0, 2, 4, 1, 2, 0).reshape(4, 4)), t(4, 2))
case("vander", "increasing", v(1, 2, 3), 3, True)
case("cov", "rows", t(3, 7))
case("cov", "one row", t(1, 7))
case("trapezoid.dx", "last", t(2, 5), dx=0.5)
case("bitwise_not", "after a comparison", t(5).gt(0))
case("sym_size.int", "0 sized", ints(0, 3, lo=0, hi=1).to(i64), 0)
case("sym_size.int", "of a transposed", t(3, 2).t(), 0)
case("sym_numel", "0-d", s(1.0))
case("sym_numel", "empty", t(0, 3))
case("sym_stride.int", "of a step", t(7)[::3], 0)
case("sym_stride.int", "expanded", t(1, 3).expand(5, 3), 0)
case("sym_storage_offset", "none", t(7))
case("_assert_tensor_metadata", "shape", t(2, 3), [2, 3], [3, 1])
case("_assert_scalar", "number", 1, "not reached")
case("sym_constrain_range_for_size", "no bounds", 5)
case("_linalg_det", "3x3", t(3, 3), ignore=(1, 2))
case("_linalg_slogdet", "batch", t(2, 3, 3), ignore=(2, 3))
case("_linalg_solve_ex", "two right sides", t(3, 3).add(torch.eye(3) * 5), t(3, 2), ignore=(1, 2))
case("trapezoid.dx", "int8, of which two overflow", v(100, 100, 100, dtype=i8), dx=2)
case("trapezoid.x", "int8", v(10, 20, 30, dtype=i8), v(1, 2, 4, dtype=i8))
case("trapezoid.dx", "of nothing", t(3, 0))

# Gradients of views, and of activations that are no function of one element, as programs with gradients inside have them.
case("slice_backward", "a step", t(3, 2, 5), [3, 7, 5], 1, 1, 5, 2)
case("slice_backward", "to the end", t(3, 4), [3, 7], -1, -4, 9223372036854775807, 1)
case("slice_backward", "nothing", t(3, 0), [3, 7], 1, 5, 2, 1)
case("select_backward", "from the end", t(3, 5), [3, 7, 5], 1, -2)
case("select_backward", "to a number", t(), [7], 0, 3)
case("diagonal_backward", "above", t(2, 3), [2, 3, 5], 2, 1, 2)
case("diagonal_backward", "turned dims", t(5, 3), [3, 5, 4], -1, 2, 0)
case("trace_backward", "more columns", t(), [3, 5])
case("trace_backward", "more rows", t(), [7, 2])
case("unfold_backward", "windows overlap", t(2, 3, 5, 3), [2, 7, 5], 1, 3, 2)
case("unfold_backward", "gaps, the last dimension", t(3, 2, 2), [3, 7], -1, 2, 4)
case("glu_backward", "a middle dimension", t(2, 3, 5), t(2, 6, 5), 1)
case("glu_backward", "the last dimension", t(3, 2), t(3, 4), -1)
logits = v(0, 1, -1, 90, -90, 3, -3)
case("log_sigmoid_backward", "small and large", t(7), logits, (-logits.abs()).exp())
case("_prelu_kernel_backward", "a weight for each channel", t(2, 3, 5), t(2, 3, 5), t(1, 3, 1))
for name, values in (
    ("no zeros", t(3, 5, lo=0.3)),
    ("one zero", v([2, 0, 3, 4], [1, 2, 3, 0], [0, 1, 2, 3])),
    ("several zeros", v([0, 2, 0, 3], [5, 0, 0, 2], [0, 0, 0, 0])),
):
    case("cumprod_backward", name, t(*values.shape), values, 1, values.cumprod(1))
case("cumprod_backward", "the first dimension", t(3, 5), t(3, 5, lo=0.3), -2, t(3, 5, lo=0.3))

for exponent in (t(3, 5), ints(3, 5), v(1, 2, 3, dtype=f16)):
    case("float_power.Scalar", name_of(exponent.dtype), 2, exponent)
case("float_power.Scalar", "complex", 1 + 2j, v(1, 2, 3))
large = v(250, 1e4, 1e6, 1.6e7, 1.9e8, 1e20)
for op in ("igamma", "igammac"):
    case(op, "of large numbers", large, large)
case("special_spherical_bessel_j0", "infinite", v(float("inf"), -float("inf"), 0, 1))
case("kthvalue", "of no rows", t(0, 3), 1, 1)
case("median", "of nothing", t(0, 3))
case("nanmedian", "of nothing", t(0))
for op, args in (("sum.dim_IntList", ([0],)), ("mean.dim", ([0],)), ("prod.dim_int", (0,))):
    case(op, "float32, rounded to bfloat16 first", t(37, 3), *args, dtype=bf16)
tight = v(2049, 0, -2048, 4099, -4096, 0, 2051, -2051)
for op in ("sum.dim_IntList", "mean.dim", "prod.dim_int", "cumsum", "cumprod"):
    for half in (f16, bf16):
        x = tight if op.startswith(("sum", "mean", "cumsum")) else torch.full((8,), 1.0039)
        case(op, f"rounded to {name_of(half)} before or behind", x, 0 if op.startswith(("cum", "prod")) else [0], dtype=half)
case("mH", "of a number", torch.tensor(1 + 2j))
case("mT", "of a number", s(2.0))
case("cumulative_trapezoid.dx", "int64, whose sums wrap", v(2**62, 2**61, 2**62 + 2**61, 5, dtype=i64))
case("cumulative_trapezoid.dx", "int8, of which two overflow", v(100, 100, 100, 90, dtype=i8), dx=3)
case("cumulative_trapezoid.dx", "float16, whose doubled areas overflow", v(30000, 30000, 30000, 100, dtype=f16))
case("_conj_physical", "complex64", t(3, dtype=c64))
case("_conj_physical", "float32", t(3))
case("unfold_backward", "0-d", t(1), [], 0, 1, 1)
cpu = {"device": torch.device("cpu"), "requires_grad": False}
for name in (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"),
    *("bessel_j0", "bessel_j1", "cbrt", "ceil", "cos", "cosh", "digamma", "erf", "erf_inv", "erfc", "erfcx", "exp", "exp2"),
    *("expm1", "floor", "isfinite", "lgamma", "log", "log10", "log1p", "log2", "ndtri", "neg", "reciprocal", "round"),
    *("rsqrt", "sign", "signbit", "sin", "sinh", "spherical_bessel_j0", "sqrt", "tan", "tanh", "trunc", "frexp"),
):
    low, high = {"acosh": (1.1, 3), "digamma": (0.2, 3), "lgamma": (0.2, 3)}.get(name, (0.1, 0.9))
    case(f"prims::{name}", "float32", t(2, 3, lo=low, hi=high))
case("prims::bitwise_not", "int64", ints(5))
case("prims::conj_physical", "complex64", t(3, dtype=c64))
for name in ("atan2", "div", "fmax", "fmin", "fmod", "hypot", "igamma", "igammac", "maximum", "minimum", "nextafter", "pow"):
    case(f"prims::{name}", "float32", t(2, 3, lo=0.1, hi=2), t(2, 3, lo=0.1, hi=2))
for name in ("remainder", "sub", "eq", "ge", "gt", "le", "lt", "ne"):
    case(f"prims::{name}", "float32", v(1, 2, -3, 4.5), v(1, 5, 2, -4))
for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "div", "maximum"):
    case(f"prims::{name}", "int64", v(7, 12, -9, 4, dtype=i64), v(2, 8, 6, -3, dtype=i64))
for name in ("shift_left", "shift_right_arithmetic"):
    case(f"prims::{name}", "int64", v(7, 12, -9, 4, dtype=i64), v(2, 1, 1, 3, dtype=i64))
case("prims::zeta", "float32", v(2.5, 3), v(1.5, 2))
case("prims::where", "float32", v(True, False, True, dtype=b8), t(3), t(3))
case("prims::fill", "float32", t(2, 3), 2.5)
for name in ("amax", "amin", "sum", "prod"):
    case(f"prims::{name}", "two dims", t(2, 3, 4), [0, 2])
case("prims::sum", "int32", ints(2, 3, dtype=torch.int32), [1])
case("prims::prod", "int64, all dims", ints(2, 3), [0, 1])
case("prims::var", "with a correction", t(4, 5), [1], 1.0)
case("prims::var", "of the population", t(4, 5), [0, 1], 0.0)
case("prims::broadcast_in_dim", "a new dim", t(3, 1), [2, 3, 4], [1, 2])
case("prims::broadcast_in_dim", "a number", t(), [2, 3], [])
case("prims::collapse", "two dims", t(2, 3, 4), 0, 1)
case("prims::collapse_view", "two dims", t(2, 3, 4), 1, 2)
case("prims::split_dim", "by two", t(3, 4), 1, 2)
case("prims::squeeze", "two dims", t(1, 3, 1), [0, 2])
case("prims::transpose", "three dims", t(2, 3, 4), [2, 0, 1])
case("prims::reshape", "two dims", t(2, 6), [3, 4])
case("prims::cat", "float32", [t(2, 3), t(1, 3)], 0)
case("prims::as_strided_scatter", "every other", t(6), t(3), [3], [2], 1)
case("prims::view_of", "float32", t(3))
case("prims::view_of_dtype", "float32 as int32", t(3), torch.int32)
case("prims::real", "complex64", t(3, dtype=c64))
case("prims::imag", "complex64", t(3, dtype=c64))
case("prims::conj", "complex64", t(3, dtype=c64))
case("prims::clone", "float32", t(2, 3))
case("prims::copy_strided", "columns", t(2, 3), [1, 2])
case("prims::device_put", "float32", t(3), torch.device("cpu"))
case("prims::full", "float32", [2, 3], 1.5, dtype=torch.float32, **cpu)
case("prims::full_like", "int64", t(2, 3), 7, dtype=i64, **cpu)
case("prims::scalar_tensor", "float64", 2.5, dtype=f64, device=torch.device("cpu"))
case("prims::fft_c2c", "forward", t(2, 5, dtype=c64), dim=[1], forward=True)
case("prims::fft_r2c", "one sided", t(2, 6), dim=[1], onesided=True)
case("prims::fft_c2r", "even", t(2, 4, dtype=c64), dim=[1], last_dim_size=6)
case("prims::svd", "singular values", t(4, 3), full_matrices=False, ignore=(0, 2))
for name in ("abs", "neg", "sqrt", "reciprocal", "exp", "sign"):
    case(f"_foreach_{name}", "two tensors", [t(3, lo=0.5, hi=2), t(2, 2, lo=0.5, hi=2)])
for name in ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_max", "clamp_min"):
    case(f"_foreach_{name}.List", "two tensors", [t(3), t(2, 2)], [t(3), t(2, 2)])
    case(f"_foreach_{name}.Scalar", "two tensors", [t(3), t(2, 2)], 0.5)
    case(f"_foreach_{name}.ScalarList", "two tensors", [t(3), t(2, 2)], [0.5, -0.25])
for name in ("add", "sub"):
    case(f"_foreach_{name}.List", "scaled", [t(3), t(2, 2)], [t(3), t(2, 2)], alpha=0.5)
case("_foreach_add.Scalar", "an integer to integers, a fraction to halves", [ints(3), t(2, dtype=f16)], 2)
case("_foreach_add.Tensor", "a number", [t(3), t(2, 2)], s(0.5))
case("_foreach_mul.Tensor", "a number", [t(3), t(2, 2)], s(0.5))
case("_foreach_div.Tensor", "a number", [t(3), t(2, 2)], s(0.5))
for name in ("addcmul", "addcdiv"):
    ones = [t(3, lo=0.5, hi=2), t(2, 2, lo=0.5, hi=2)]
    case(f"_foreach_{name}.Scalar", "two tensors", [t(3), t(2, 2)], [t(3), t(2, 2)], ones, -0.1)
    case(f"_foreach_{name}.ScalarList", "two tensors", [t(3), t(2, 2)], [t(3), t(2, 2)], ones, [0.5, 2.0])
case("_foreach_lerp.List", "two tensors", [t(3), t(2, 2)], [t(3), t(2, 2)], [t(3), t(2, 2)])
case("_foreach_lerp.Scalar", "two tensors", [t(3), t(2, 2)], [t(3), t(2, 2)], 0.1)
case("_foreach_lerp.ScalarList", "two tensors", [t(3), t(2, 2)], [t(3), t(2, 2)], [0.1, 0.9])
case("_foreach_pow.List", "two tensors", [t(3, lo=0.5, hi=2), t(2, lo=0.5, hi=2)], [t(3), t(2)])
case("_foreach_pow.Scalar", "two tensors", [t(3), t(2, 2)], 2)
case("_foreach_pow.ScalarList", "two tensors", [t(3), t(2, 2)], [2, 3])
case("_foreach_pow.ScalarAndTensor", "two tensors", 2.0, [t(3), t(2, 2)])
case("_foreach_norm.Scalar", "two tensors", [t(3), t(2, 2)])
case("_foreach_norm.Scalar", "the largest, in float64", [t(3), t(2, 2)], float("inf"), f64)
case("_foreach_max", "two tensors", [t(3), t(2, 2)])
case("_foreach_clone", "two tensors", [t(3), t(2, 2)])
for name in ("addcmul", "addcdiv"):
    for dtype in (f32, f64):
        case(f"_foreach_{name}.Tensor", f"{dtype}", [t(3), t(2, 2)], [t(3), t(2, 2)], [t(3, lo=0.5), t(2, 2, lo=0.5)], torch.tensor([0.5, -1.75], dtype=dtype))
case("_foreach_mm", "two products", [t(2, 3), t(4, 5)], [t(3, 4), t(5, 2)])
case("_foreach_powsum.Scalar", "squares", [t(3), t(2, 2)])
case("_foreach_powsum.Scalar", "in float64", [t(3), t(2, 2)], 1.5, f64)
case("_foreach_powsum.Scalar", "halves", [t(3, dtype=f16), t(2, 2)], 3)
case("_foreach_copy", "other dtypes and sizes", [t(3), ints(2, 2)], [ints(3), t(2, lo=-3, hi=3)])
case("_foreach_zero", "two tensors", [t(3), ints(2, 2)])
case("vander", "five columns, decreasing", t(6, lo=-2, hi=2), 5, False)
case("vander", "as many columns as elements", v(1.5, -2, 0, float("inf"), float("nan")))
case("vander", "integers", v(2, -3, 0, dtype=i64), 4, True)
case("vander", "bytes as int8 are int64", v(100, -100, dtype=i8), 4)
case("vander", "flags", v(True, False, dtype=b8), 3)
case("vander", "halves", t(5, dtype=f16), 4)
case("vander", "one column", t(3), 1)
case("vander", "no columns", t(3), 0)
case("vander", "complex numbers", t(3, dtype=c64), 3)

# Fake quantization that learns its scale and zero point.
for low, high in ((-8, 7), (0, 15)):
    for at in (-1.5, 0.5, 2.5, 3.2):
        case("_fake_quantize_learnable_per_tensor_affine", f"{low} to {high}, zero at {at}", t(3, 5, lo=-3, hi=3), v(0.3), v(at), low, high, 0.5)
        case("_fake_quantize_learnable_per_tensor_affine_backward", f"{low} to {high}, zero at {at}", t(3, 5), t(3, 5, lo=-3, hi=3), v(0.3), v(at), low, high, 0.5)
for axis in (0, 1):
    channels = (3, 5)[axis]
    zeros = v(-1.5, 0.5, 2.5, 1.2, 9.0)[:channels]
    case("_fake_quantize_learnable_per_channel_affine", f"axis {axis}", t(3, 5, lo=-3, hi=3), t(channels, lo=0.1, hi=0.4), zeros, axis, -8, 7, 0.5)
    case("_fake_quantize_learnable_per_channel_affine_backward", f"axis {axis}", t(3, 5), t(3, 5, lo=-3, hi=3), t(channels, lo=0.1, hi=0.4), zeros, axis, -8, 7, 0.5)
case("_fake_quantize_learnable_per_channel_affine_backward", "a vector", t(4), t(4, lo=-3, hi=3), t(4, lo=0.1, hi=0.4), v(-1.0, 0.0, 1.0, 2.0), 0, -8, 7)
case("_stack", "two tensors", [t(2, 3), t(2, 3)], 1)
case("_add_relu.Tensor", "broadcasts", t(2, 3), t(3), alpha=2)
case("_add_relu.Scalar", "a number", t(2, 3), -0.5)
case("to_dense", "as it is", t(2, 3))
case("to_dense", "another dtype", t(2, 3), f64)
