"""Functions of one tensor, element by element."""
from opcase import b8, bf16, c64, case, distinct, edges, f16, f64, i8, i32, i64, ints, name_of, nan, s, t, u8, v

# Defined for all dtypes; integers and bool give floats.
FLOAT_OPS = {
    "acos": (-1, 1), "acosh": (1, 5), "asin": (-1, 1), "asinh": (-5, 5), "atan": (-5, 5), "atanh": (-0.9, 0.9), "cos": (-9, 9), "cosh": (-4, 4),
    "erf": (-3, 3), "erfc": (-3, 3), "erfinv": (-0.9, 0.9), "exp": (-5, 5), "exp2": (-5, 5), "expm1": (-1, 3), "log": (0.01, 9), "log10": (0.01, 9),
    "log1p": (-0.9, 9), "log2": (0.01, 9), "reciprocal": (0.2, 5), "rsqrt": (0.1, 9), "sigmoid": (-6, 6), "sin": (-9, 9), "sinh": (-4, 4),
    "sqrt": (0, 9), "tan": (-1.4, 1.4), "tanh": (-3, 3), "lgamma": (0.2, 6), "digamma": (0.2, 6), "logit": (0.05, 0.95), "deg2rad": (-360, 360),
    "rad2deg": (-7, 7), "sinc": (-3, 3), "i0": (-4, 4),
}
# The dtype stays.
SAME_OPS = ("abs", "ceil", "floor", "neg", "round", "trunc", "sign", "sgn", "square", "relu", "positive")
# Floating point only.
ACTIVATIONS = ("frac", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh", "relu6", "softplus", "selu", "elu", "celu", "gelu", "leaky_relu",
               "log_sigmoid", "hardshrink", "softshrink")
CLASSIFY = ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit")

LOOSE_EDGES = {"lgamma", "digamma", "i0"}  # huge arguments: the libraries differ

for op, (lo, hi) in FLOAT_OPS.items():
    case(op, "float32", t(2, 3, 5, lo=lo, hi=hi))
    case(op, "float64 0-d", t(dtype=f64, lo=lo, hi=hi))
    case(op, "transposed", t(5, 3, lo=lo, hi=hi).t())
    case(op, "stepped slice", t(7, 11, lo=lo, hi=hi)[1::2, 3:10:3])
    case(op, "float16", t(7, dtype=f16, lo=lo, hi=hi))
    if lo <= 1 <= hi:
        case(op, "int64 gives float32", ints(5, lo=1, hi=max(1, min(3, int(hi)))))
    case(op, "empty", t(0, 3))
    if op not in LOOSE_EDGES:
        case(op, "edges", edges())

for op in SAME_OPS:
    case(op, "float32", t(2, 3, 5, lo=-4, hi=4))
    case(op, "edges", edges())
    case(op, "bfloat16 transposed", t(3, 2, dtype=bf16, lo=-4, hi=4).t())
    case(op, "int32", ints(7, dtype=i32))
    case(op, "int8 lowest value", ints(3, dtype=i8, lo=-128, hi=-126))
    case(op, "expanded", t(1, 3, lo=-4, hi=4).expand(2, 3))

case("round", "halves to even", distinct(11))
case("round.decimals", "two decimals", t(2, 3, lo=-100, hi=100), decimals=2)
case("round.decimals", "tens", t(2, 3, lo=-100, hi=100), decimals=-1)
case("sign", "bool", t(5, dtype=b8))
case("abs", "complex64 gives float32", t(5, dtype=c64))
case("abs", "uint8", ints(5, dtype=u8, lo=0, hi=255))
case("neg", "uint8 wraps", ints(5, dtype=u8, lo=0, hi=255))

for op in ACTIVATIONS:
    case(op, "float32", t(3, 5, 2, lo=-8, hi=8))
    case(op, "edges", edges()[3:] if op == "gelu" else edges())  # gelu(inf) is nan or inf, by the length of the tensor
    case(op, "float64 stepped", t(11, dtype=f64, lo=-5, hi=5)[::3])
    case(op, "float16", t(7, dtype=f16, lo=-5, hi=5))
    case(op, "channel-last strides", t(2, 3, 2, 5, lo=-5, hi=5).permute(0, 3, 1, 2))
    case(op, "empty", t(2, 0))

case("gelu", "tanh", t(3, 5, lo=-4, hi=4), approximate="tanh")
case("gelu", "tanh bfloat16", t(7, dtype=bf16, lo=-4, hi=4), approximate="tanh")
case("elu", "alpha, scale, input scale", t(3, 5), 0.7, 1.3, 0.5)
case("celu", "alpha", t(3, 5), 0.3)
case("leaky_relu", "slope", t(3, 5), 0.2)
case("leaky_relu", "negative slope above one", t(3, 5), 1.5)
case("hardtanh", "bounds", t(3, 5), -0.5, 1.5)
case("hardtanh", "int64", ints(7), -2, 3)
case("softplus", "beta and threshold", t(3, 5, lo=-9, hi=9), 2, 5)
case("hardshrink", "lambda", t(3, 5), 1.0)
case("softshrink", "lambda", t(3, 5), 0.25)
case("threshold", "value", t(3, 5), 0.1, -7)
case("threshold", "int64", ints(7), 1, 5)
case("logit", "eps clamps", t(7, lo=-0.5, hi=1.5), 0.1)
case("prelu", "one slope", t(2, 3, 5), t(1))
case("prelu", "slope per channel", t(2, 3, 5), t(3))
case("glu", "last dim", t(2, 3, 4))
case("glu", "dim 1", t(2, 6, 3), 1)
case("log_sigmoid_forward", "with its buffer", t(3, 5), ignore=(1,))

for op in CLASSIFY:
    case(op, "edges", edges())
    case(op, "int64", ints(5))
    case(op, "float16", edges(f16))

complex_zeros = v(0, 1j, 2, 1 + 1j, complex(0, nan), dtype=c64)
case("logical_not", "complex64", complex_zeros)
for op in ("logical_and", "logical_or", "logical_xor"):
    case(op, "complex64", complex_zeros, complex_zeros.flip(0))
    case(op, "complex64 and int64", complex_zeros, v(0, 1, 0, 2, 0, dtype=i64))
case("logical_not", "float", edges())
case("logical_not", "int64", ints(7, lo=-1, hi=1))
case("logical_not", "bool transposed", t(3, 2, dtype=b8).t())
case("logical_not", "empty", t(0))
case("bitwise_not", "int64", ints(7))
case("bitwise_not", "bool", t(7, dtype=b8))
case("bitwise_not", "uint8", ints(7, dtype=u8, lo=0, hi=255))
case("bitwise_not", "int8 stepped", ints(7, dtype=i8)[::2])
case("nan_to_num", "defaults", edges())
case("nan_to_num", "values", edges(), 1.5, 2.5, -3.5)
case("nan_to_num", "float16", edges(f16))
case("nan_to_num", "int64", ints(3))

case("clamp", "both", t(2, 3, 5), -0.5, 0.7)
case("clamp", "only min", t(7), 0.25)
case("clamp", "only max", t(7), None, 0.25)
case("clamp", "min above max gives max", t(7), 1, -1)
case("clamp", "int64 with int bounds", ints(2, 5), -3, 4)
case("clamp", "int64 with float bounds gives float", ints(2, 5), -2.5, 3.5)
case("clamp", "nan stays", edges(), -1, 1)
case("clamp", "float16", t(7, dtype=f16), -0.3, 0.3)
case("clamp.Tensor", "broadcast bounds", t(2, 3, 5), t(3, 1, lo=-1, hi=0), t(5, lo=0, hi=1))
case("clamp.Tensor", "only max", t(2, 3), None, t(2, 1))
case("clamp.Tensor", "nan bound", t(3), s(float("nan")), t(3))
case("clamp_min", "float", edges(), 0.25)
case("clamp_min", "int64", ints(7), 2)
case("clamp_max", "float", edges(), 0.25)
case("clamp_max", "uint8", ints(7, dtype=u8, lo=0, hi=200), 100)
case("clamp_min.Tensor", "broadcast", t(2, 3), t(3))
case("clamp_max.Tensor", "broadcast", t(2, 3), t(2, 1))
case("clip", "both", t(2, 3), -0.5, 0.5)

for op in ("exp", "sqrt", "sigmoid", "tanh", "sin"):
    case(op, "bool gives float32", t(5, dtype=b8))
    case(op, "uint8 gives float32", ints(5, dtype=u8, lo=0, hi=5))
    case(op, "int64 transposed", ints(3, 2, lo=0, hi=5, dtype=i64).t())
case("clamp_min", "bfloat16", t(7, dtype=bf16), 0.5)
case("fake_quantize_per_tensor_affine", "halves go to even", t(3, 5, lo=-3, hi=3), 0.25, 2, -8, 7)
case("fake_quantize_per_tensor_affine.tensor_qparams", "tensors", t(3, 5), s(0.1), s(3, dtype=i32), 0, 255)
case("fake_quantize_per_tensor_affine_cachemask", "mask", t(3, 5, lo=-3, hi=3), 0.25, 2, -8, 7)
case("fake_quantize_per_channel_affine", "axis 1", t(2, 3, 5), t(3, lo=0.1, hi=0.3), ints(3, lo=-2, hi=2, dtype=i32), 1, -8, 7)
case("fake_quantize_per_channel_affine_cachemask", "mask", t(3, 5), t(3, lo=0.1, hi=0.3), ints(3, lo=-2, hi=2, dtype=i32), 0, -8, 7)
case("rrelu_with_noise_functional", "evaluation", t(3, 5), t(3, 5), 0.1, 0.3, False)
case("rrelu_with_noise_functional", "training", t(3, 5), t(3, 5), 0.1, 0.3, True, meta_only=True)

case("rrelu_with_noise_backward", "training", t(3, 5), t(3, 5), t(3, 5), 0.1, 0.3, True, False)
case("rrelu_with_noise_backward", "evaluation", t(3, 5), t(3, 5), t(3, 5), 0.1, 0.3, False, False)
for half in (f16, bf16):
    case("fake_quantize_per_tensor_affine", f"a grid of {half}", v(*(i / 20 for i in range(-35, 36)), dtype=half), 0.1, 0, -128, 127)
for dtype in (f16, bf16):
    # The bounds are numbers of the dtype: here the upper one is 1.
    case("logit", f"{name_of(dtype)}, a small eps", v(0, 1, 2, -1, 0.5, 1e-7, dtype=dtype), 1e-6)
case("logit", "bounds that cross", v(0, 1, 2, -1, 0.5, 0.7), 0.625)
case("logit", "eps 1", v(0, 1, 2, -1, 0.5, 0.7), 1.0)
case("igammac", "of a number that has no inverse", v(1e-308, 3e-309, dtype=f64), v(0.75, 2, dtype=f64))
