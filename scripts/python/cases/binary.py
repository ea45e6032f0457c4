"""Arithmetic of two tensors, of a tensor and a number, and of three."""
import torch

from opcase import b8, bf16, c64, case, edges, f16, f32, f64, i8, i16, i32, i64, inf, ints, name_of, nan, s, t, u8, v

ARITHMETIC = ("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor")

for op in ARITHMETIC:
    case(op, "same shape", t(2, 3, 5), t(2, 3, 5, lo=0.5))
    case(op, "broadcasts both ways", t(2, 1, 5), t(3, 1, lo=0.5))
    case(op, "0-d operand", t(2, 3), s(0.7))
    case(op, "transposed and expanded", t(5, 3).t(), t(3, 1, lo=0.5).expand(3, 5))
    case(op, "stepped slices", t(7, 11)[::2, 1::3], t(4, 8, lo=0.5)[:, ::2])
    case(op, "int64", ints(2, 7), ints(7, lo=1))
    case(op, "int32 and int64", ints(5, dtype=i32), ints(5, lo=1))
    case(op, "int64 and float16", ints(5), t(5, dtype=f16, lo=0.5))
    case(op, "float16 and float32", t(5, dtype=f16), t(5, lo=0.5))
    case(op, "float16 and bfloat16", t(5, dtype=f16), t(5, dtype=bf16, lo=0.5))
    case(op, "0-d float64 does not promote float32", t(5), s(0.3, f64))
    case(op, "0-d float promotes int64", ints(5), s(0.3, f64))
    case(op, "number in a tensor slot", t(5), 2.5)
    case(op, "float number and int64 tensor", ints(5), 2.5)
    case(op, "int number and float16 tensor", t(5, dtype=f16), 3)
    case(op, "uint8 and int8", ints(5, dtype=u8, lo=1, hi=99), ints(5, dtype=i8, lo=1, hi=9))
    case(op, "bfloat16", t(2, 7, dtype=bf16), t(7, dtype=bf16, lo=0.5))
    case(op, "float64", t(2, 3, dtype=f64), t(3, dtype=f64, lo=0.5))
    case(op, "complex64", t(5, dtype=c64), t(5, dtype=c64))
    case(op, "complex64 and float32", t(5, dtype=c64), t(5, lo=0.5))
    case(op, "edges", edges(), edges().flip(0))
    case(op, "empty broadcast", t(0, 3), t(1, 3))

case("add.Tensor", "alpha", t(2, 3), t(3), alpha=-2.5)
case("add.Tensor", "alpha on int64", ints(2, 3), ints(3), alpha=3)
case("sub.Tensor", "alpha", t(2, 3), t(3), alpha=0.5)
case("add.Tensor", "bool is or", t(7, dtype=b8), t(7, dtype=b8))
case("mul.Tensor", "bool is and", t(7, dtype=b8), t(7, dtype=b8))
case("add.Tensor", "uint8 wraps", v(250, 3, dtype=u8), v(10, 250, dtype=u8))
case("mul.Tensor", "int8 wraps", v(100, -128, dtype=i8), v(3, -1, dtype=i8))
case("mul.Tensor", "int64 beyond 2^53", v(3037000499, -(2**40), dtype=i64), v(3037000499, 2**22 + 1, dtype=i64))
case("add.Tensor", "int64 beyond 2^53", v(2**53, 2**62, dtype=i64), v(1, 2**61 + 1, dtype=i64))
case("div.Tensor", "by zero", v(1, -1, 0), v(0, 0, 0))
case("div.Tensor", "int64 by zero gives float", v(1, -1, 0, dtype=i64), v(0, 0, 0, dtype=i64))
case("rsub.Scalar", "alpha", t(5), 3, 2)
case("rsub.Tensor", "alpha", t(5), t(5), alpha=2)

for op in ("add.Scalar", "sub.Scalar", "mul.Scalar", "div.Scalar"):
    case(op, "float", t(2, 3), 1.7)
    case(op, "int64 and int", ints(5), 3)
    case(op, "int64 and float gives float", ints(5), 0.5)
    case(op, "bfloat16 transposed", t(3, 2, dtype=bf16).t(), 0.3)
    case(op, "infinity", t(3), inf)
case("add.Scalar", "alpha", t(5), 2, 3)
case("mul.Scalar", "bool and int", t(5, dtype=b8), 3)

for mode in (None, "floor", "trunc"):
    case("div.Tensor_mode", f"float {mode}", t(2, 7, lo=-9, hi=9), t(7, lo=0.5, hi=3), rounding_mode=mode)
    case("div.Tensor_mode", f"int64 {mode}", ints(2, 7), v(-3, 4, 2, -1, 5, 7, -2, dtype=i64), rounding_mode=mode)
    case("div.Tensor_mode", f"edges {mode}", edges(), edges().flip(0), rounding_mode=mode)
    case("div.Scalar_mode", f"float {mode}", t(7, lo=-9, hi=9), -0.7, rounding_mode=mode)
    case("div.Scalar_mode", f"int64 {mode}", ints(7), -4, rounding_mode=mode)
    for dtype in (f16, bf16):
        name = f"{dtype} {mode}".removeprefix("torch.")
        dividend = (100 * t(17, 1, lo=-9, hi=9)).to(dtype)
        case("div.Tensor_mode", name, dividend, t(19, lo=-3, hi=3).to(dtype), rounding_mode=mode)
        case("div.Scalar_mode", name, dividend, -0.7, rounding_mode=mode)
        case("div.Tensor_mode", f"edges {name}", edges().to(dtype), edges().flip(0).to(dtype), rounding_mode=mode)
case("div.Tensor_mode", "int64 lowest value", v(-(2**63), -(2**63) + 1, dtype=i64), v(2, -7, dtype=i64), rounding_mode="floor")
case("floor_divide", "int64", ints(7), v(-3, 4, 2, -1, 5, 7, -2, dtype=i64))
case("floor_divide", "float", t(7, lo=-9, hi=9), t(7, lo=0.5))
case("floor_divide", "number in a tensor slot", ints(7), -4)
case("floor_divide.Scalar", "int64", ints(7), 3)
case("true_divide.Tensor", "int64", ints(7), ints(7, lo=1))

for op in ("remainder", "fmod"):
    case(f"{op}.Tensor", "float signs", t(2, 7, lo=-9, hi=9), v(2, -2, 0.7, -0.7, 3, -3, 1.1))
    case(f"{op}.Tensor", "int64 signs", ints(2, 5), v(3, -3, 2, -7, 1, dtype=i64))
    case(f"{op}.Tensor", "edges", edges(), edges().flip(0))
    case(f"{op}.Tensor", "int64 and float", ints(5), t(5, lo=0.5))
    case(f"{op}.Tensor", "float16 broadcast", t(2, 1, dtype=f16), t(3, dtype=f16, lo=0.5))
    case(f"{op}.Scalar", "float", t(7, lo=-9, hi=9), -1.5)
    case(f"{op}.Scalar", "int64", ints(7), -3)
    case(f"{op}.Scalar", "uint8", ints(7, dtype=u8, lo=0, hi=255), 7)
case("remainder.Scalar_Tensor", "number first", 7, v(2, -2, 3, -4, dtype=i64))

case("pow.Tensor_Tensor", "positive base", t(2, 3, lo=0.1), t(3, lo=-3, hi=3))
case("pow.Tensor_Tensor", "negative base, whole exponents", t(5), v(0, 1, 2, 3, -2))
case("pow.Tensor_Tensor", "int64", ints(2, 5, lo=-4, hi=4), ints(5, lo=0, hi=5))
case("pow.Tensor_Tensor", "edges", edges(), edges().flip(0))
case("pow.Tensor_Tensor", "float16 and int64", t(5, dtype=f16), ints(5, lo=0, hi=3))
for exponent in (0, 0.5, 1, 2, 3, -1, -0.5, -2, 2.5):
    case("pow.Tensor_Scalar", f"float to {exponent}", t(7, lo=0.1, hi=3), exponent)
case("pow.Tensor_Scalar", "negative base cubed", t(7), 3)
case("pow.Tensor_Scalar", "edges squared", edges(), 2)
case("pow.Tensor_Scalar", "edges to one half", edges(), 0.5)
case("pow.Tensor_Scalar", "int64 to int", ints(7), 3)
case("pow.Tensor_Scalar", "int64 to float", ints(7, lo=1), 0.5)
case("pow.Tensor_Scalar", "bfloat16 transposed", t(3, 2, dtype=bf16, lo=0.1).t(), 1.5)
case("pow.Scalar", "number to tensor", 2.5, t(2, 3))
case("pow.Scalar", "int to int64", 2, ints(5, lo=0, hi=6))
case("pow.Scalar", "int to float", 2, t(5, dtype=f64))

for op in ("maximum", "minimum", "fmax", "fmin"):
    case(op, "broadcasts", t(2, 1, 5), t(3, 1))
    case(op, "nan", edges(), edges().flip(0))
    case(op, "int64 and float32", ints(5), t(5))
    case(op, "uint8", ints(5, dtype=u8, lo=0, hi=255), ints(5, dtype=u8, lo=0, hi=255))
    case(op, "float16 transposed", t(3, 2, dtype=f16).t(), t(2, 3, dtype=f16))
    case(op, "bool", t(5, dtype=b8), t(5, dtype=b8))
case("max.other", "broadcasts", t(2, 3), t(3))
case("min.other", "broadcasts", t(2, 3), t(2, 1))

case("atan2", "quadrants", v(1, 1, -1, -1, 0, 0, -0.0), v(1, -1, 1, -1, 0, -1, -1))
case("atan2", "broadcast float64", t(2, 1, dtype=f64), t(3, dtype=f64))
case("atan2", "edges", edges(), edges().flip(0))
case("atan2", "int64", ints(5), ints(5, lo=1))
case("hypot", "broadcast", t(2, 3), t(3))
case("hypot", "large values", v(3e30, 1e-30), v(4e30, 1e-30))
case("copysign.Tensor", "signed zero", t(4), v(-0.0, 0.0, -1, nan))
case("copysign.Scalar", "negative", t(5), -1)
case("xlogy.Tensor", "zero times log", v(0, 0, 1, 2, nan), v(0, nan, 2, 0.5, 1))
case("logaddexp", "large values", v(1000, -1000, inf, 1), v(1000, -999, 1, -inf))
case("logaddexp2", "values", t(5), t(5))
case("heaviside", "zero", v(-1, 0, 2), v(0.5, 0.25, 0.75))
case("nextafter", "up and down", v(1, 0, -1), v(2, 1, -2))
for dtype in (f16, bf16):
    from_ = torch.tensor((0, 0x3c00, 0x3f80, 0x3f81, 0x7c00 if dtype == f16 else 0x7f80, 0x7bff, 0x7f7f), dtype=i16).view(dtype)
    case("nextafter", f"{dtype}".removeprefix("torch."), from_.unsqueeze(1), v(inf, -inf, 0, 1, nan, dtype=dtype))
case("gcd", "int64", v(12, 0, -18, 7, dtype=i64), v(18, 5, 12, 0, dtype=i64))
for op in ("gcd", "lcm"):
    case(op, "bool and int32", v(True, False, dtype=b8).unsqueeze(1), v(12, 0, -18, 7, dtype=i32))
    case(op, "int32 and bool", v(12, 0, -18, 7, dtype=i32), v(True, False, dtype=b8).unsqueeze(1))
case("lcm", "int32 that wraps around", v(2**30 + 1, 2**20 + 3, -(2**30) - 7, dtype=i32).unsqueeze(1), v(2**20 + 3, 12, 2**30 + 1, dtype=i32))
case("gcd", "int8 without an opposite", v(-128, 6, 1, dtype=i8).unsqueeze(1), v(-128, 6, 1, -1, dtype=i8))
case("ldexp.Tensor", "int exponent", t(5), ints(5, lo=-3, hi=3))

case("addcmul", "value", t(2, 3), t(3), t(2, 1), value=-0.5)
case("addcmul", "int64", ints(5), ints(5), ints(5), value=2)
case("addcmul", "float16", t(5, dtype=f16), t(5, dtype=f16), t(5, dtype=f16))
case("addcdiv", "value", t(2, 3), t(3), t(2, 1, lo=0.5), value=2)
case("addcdiv", "float64", t(5, dtype=f64), t(5, dtype=f64), t(5, dtype=f64, lo=0.5))
case("lerp.Scalar", "inside", t(2, 3), t(3), 0.3)
case("lerp.Scalar", "beyond one half", t(2, 3), t(3), 0.8)
case("lerp.Tensor", "broadcast weight", t(2, 3), t(2, 3), t(3, lo=0, hi=1))
case("dist", "p 2", t(2, 3), t(2, 3))
case("sub.Tensor", "int16", ints(5, dtype=i16), ints(5, dtype=i16))
case("div.Tensor", "float32 by int32", t(5, dtype=f32), ints(5, lo=1, dtype=i32))
case("min.other", "int64", ints(2, 3), ints(3))
case("max.other", "float and int64", t(5), ints(5))
case("min.other", "nan", edges(), edges().flip(0))
case("ldexp.Tensor", "halves, of which the power overflows", v(0, 1, 3, dtype=f16), v(30, 5, -2, dtype=f16))

# Beside a half a number, or a tensor without dimensions, is converted to the half first; but the divisor, and what is
# multiplied with, come to the kernel in float32. Every bit counts.
for half in (f16, bf16):
    for wide in (None, f32, f64, bf16 if half is f16 else f16):
        n = 2.7182818 if wide is None else s(2.7182818, dtype=wide)
        bits = dict(rtol=0, atol=0)
        kind = f"{name_of(half)} and a {'number' if wide is None else name_of(wide)}"
        for op in ("add", "sub", "rsub", "mul", "div", "remainder", "fmod", "eq", "lt", "ge"):
            suffix = "Scalar" if wide is None else "Tensor"
            case(f"{op}.{suffix}", f"{kind}, of no dimensions", t(67, dtype=half), n, **bits)
        case("floor_divide" if wide else "floor_divide.Scalar", f"{kind}, of no dimensions", t(67, dtype=half, lo=-900, hi=900), n, **bits)
        for mode in ("floor", "trunc"):
            case("div.Tensor_mode" if wide else "div.Scalar_mode", f"{kind}, {mode}", t(67, dtype=half, lo=-900, hi=900), n, rounding_mode=mode, **bits)
        if wide is not None:
            for op in ("mul", "div", "add", "remainder"):
                case(f"{op}.Tensor", f"{kind}, the number first", n, t(67, dtype=half, lo=1), **bits)
            for op in ("maximum", "minimum", "copysign.Tensor"):
                case(op, f"{kind}, of no dimensions", t(67, dtype=half), n, **bits)
            case("addcmul", f"{kind}, as a factor", t(67, dtype=half), n, t(67, dtype=half), **bits)
    for op in ("add", "sub", "rsub"):
        # Whole vectors: what is left over PyTorch rounds once more.
        case(f"{op}.Tensor", f"{name_of(half)}, alpha", t(64, dtype=half), t(64, dtype=half), alpha=2.7182818, **bits)
    case("addcmul", f"{name_of(half)}, value", t(67, dtype=half), t(67, dtype=half), t(67, dtype=half), value=2.7182818, **bits)
    case("lerp.Scalar", f"{name_of(half)}, weight", t(67, dtype=half), t(67, dtype=half), 0.1234567, **bits)
    case("hardshrink", f"{name_of(half)}, lambd", (t(67, dtype=f32) * 0 + 0.1234567).to(half), 0.1234567, **bits)
case("ldexp.Tensor", "powers out of range", v(1e-30, 3, 0, inf, -1), v(200, -140, 5000, -5000, 127, dtype=i32))
case("ldexp.Tensor", "float64, int exponent", v(1e-30, 3, -1e30, dtype=f64), v(150, -90, -100, dtype=i64))
for half in (f16, bf16):
    case("ldexp.Tensor", f"{half}, int exponent", t(5, dtype=half), ints(5, lo=-3, hi=3, dtype=i32))
case("hypot", "infinite and tiny sides", v(inf, nan, -inf, nan, 1e-40, 0, -3), v(nan, inf, 2, 1, 2e-40, -0.0, 4))
# Numbers that an integer dtype lacks wrap.
for dtype in (i8, u8, i16, i32):
    few = v(1, 5, 7, 77, 126, dtype=dtype)
    for number in (2**40 + 3, -(2**31) - 5):
        for op in ("add", "mul", "bitwise_and", "remainder", "floor_divide", "le"):
            overload = "" if op == "floor_divide" else ".Tensor" if op in ("add", "mul") else ".Scalar"
            case(f"{op}{overload}", f"{name_of(dtype)}, {number}", few, number)
for op in ("prims::add", "prims::mul"):
    case(op, "float32", t(2, 3), t(2, 3))
    case(op, "int64", ints(4), ints(4))
for dtype in (f32, f16, bf16):
    # What compilers simplify as if there were no infinities.
    for zero in (0.0, -0.0):
        case("div.Scalar_mode", f"{name_of(dtype)}, trunc, by {zero}", edges(dtype), zero, rounding_mode="trunc")
        case("mul.Scalar", f"{name_of(dtype)}, by {zero}", edges(dtype), zero)
# The sum of a number that is 0 and one that is far below it is as small as that one.
case("logaddexp2", "far apart", v(0, -90, 0, 0), v(-90, 0, -64, -100), rtol=0, atol=0)
