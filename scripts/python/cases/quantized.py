"""Quantized programs: the ops of PT2E (`quantized_decomposed`) and of torchao. Results are integers; off by one is wrong."""

import functools
import logging

import torch
import torch.ao.quantization.fx._decomposed

from opcase import bf16, case, f16, f32, f64, i8, i16, i32, i64, inf, ints, nan, s, t, u8, v

logging.disable(logging.WARNING)
import torchao.quantization.quant_primitives  # noqa: E402, F401 registers torchao's ops

logging.disable(logging.NOTSET)

HALVES = (f16, bf16)
FLOATS = (f32, *HALVES)
RANGES = {i8: (-128, 127), u8: (0, 255), i16: (-32768, 32767)}
case = functools.partial(case, rtol=0, atol=0, why="each step rounds in one way only")
QD, AO = "quantized_decomposed::", "torchao::"


def ties(dtype=f32):
    """Every half and whole number around zero: where rounding is decided."""
    return (torch.arange(-17, 18) * 0.5).to(dtype).reshape(5, 7)


# One scale for the tensor.
for dtype, (low, high) in RANGES.items():
    case(f"{QD}quantize_per_tensor", f"{dtype}", t(3, 7), 0.0173, 3, low, high, dtype)
    case(f"{QD}dequantize_per_tensor", f"{dtype}", ints(3, 7, lo=max(low, -300), hi=300 if high > 300 else high, dtype=dtype), 0.0173, 3, low, high, dtype)
for dtype in FLOATS:
    case(f"{QD}quantize_per_tensor", f"ties of {dtype}", ties(dtype), 1.0, 0, -128, 127, i8)
    case(f"{QD}quantize_per_tensor", f"odd scale, {dtype}", t(5, 11, dtype=dtype, lo=-30, hi=30), 0.2371, -5, -128, 127, i8)
    case(f"{QD}dequantize_per_tensor", f"to {dtype}", ints(5, 7, lo=-128, hi=127, dtype=i8), 0.02371, -11, -128, 127, i8, out_dtype=dtype)
case(f"{QD}quantize_per_tensor", "narrow range", t(13), 0.1, 0, -7, 7, i8)
case(f"{QD}quantize_per_tensor", "seven bits", t(13), 0.013, 64, 0, 127, u8)
case(f"{QD}quantize_per_tensor", "bias in int32", t(7), 3.1e-7, 0, -(2**31), 2**31 - 1, i32)
case(f"{QD}quantize_per_tensor", "infinite", v(inf, -inf, 3e38, -3e38), 0.1, 3, -128, 127, i8)
case(f"{QD}quantize_per_tensor", "a scale that float32 rounds", t(17, lo=-9, hi=9), 0.1 + 1e-12, 0, -128, 127, i8)
case(f"{QD}quantize_per_tensor", "a tiny scale", t(5), 1e-40, 0, -128, 127, i8)
case(f"{QD}quantize_per_tensor", "empty", t(0, 3), 0.1, 0, -128, 127, i8)
case(f"{QD}quantize_per_tensor", "0-d", s(1.37), 0.1, 0, -128, 127, i8)
case(f"{QD}quantize_per_tensor", "transposed", t(5, 3).t(), 0.01, 0, 0, 255, u8)
case(f"{QD}dequantize_per_tensor", "int32", ints(5, lo=-(2**30), hi=2**30, dtype=i32), 1.7e-9, 0, -(2**31), 2**31 - 1, i32)
case(f"{QD}dequantize_per_tensor", "float64", ints(5, dtype=i8), 0.1, 3, -128, 127, i8, out_dtype=f64)
case(f"{QD}dequantize_per_tensor", "empty", ints(0, 3, dtype=i8), 0.1, 3, -128, 127, i8)
case(f"{QD}dequantize_per_tensor", "0-d", s(5, i8), 0.1, 3, -128, 127, i8)
SCALES = {"float64": s(0.0173, f64).reshape(1), "float32": s(0.0173), "float64, 0-d": s(0.0173, f64)}
for name, scale in SCALES.items():
    case(f"{QD}quantize_per_tensor.tensor", f"scale in {name}", t(7, 11), scale, s(-3, i64).reshape(1), -128, 127, i8)
    case(f"{QD}dequantize_per_tensor.tensor", f"scale in {name}", ints(7, 11, dtype=i8), scale, s(-3, i64).reshape(1), -128, 127, i8)
for dtype in HALVES:
    case(f"{QD}quantize_per_tensor.tensor", f"{dtype}", t(7, 5, dtype=dtype), v(0.0171, dtype=f64), v(1, dtype=i64), -128, 127, i8)
    case(f"{QD}dequantize_per_tensor.tensor", f"to {dtype}", ints(7, 5, lo=-128, hi=127, dtype=i8), v(0.0171, dtype=f64), v(7, dtype=i64), -128, 127, i8, out_dtype=dtype)
    wide = ints(5, 7, lo=-3000, hi=3000, dtype=i16)
    case(f"{QD}dequantize_per_tensor", f"a zero point that {dtype} rounds", wide, 0.0171, 4099, -32768, 32767, i16, out_dtype=dtype)
    case(f"{QD}dequantize_per_tensor.tensor", f"a zero point that {dtype} rounds", wide, v(0.0171), v(4099, dtype=i64), -32768, 32767, i16, out_dtype=dtype)
case(f"{QD}quantize_per_tensor.tensor", "0-d", s(1.37), v(0.1, dtype=f64), v(3, dtype=i64), 0, 255, u8)
case(f"{QD}dequantize_per_tensor.tensor", "0-d", s(5, u8), v(0.1, dtype=f64), v(3, dtype=i64), 0, 255, u8)
case(f"{QD}quantize_per_tensor.tensor", "int32 zero point", t(5, 3), v(0.1), v(3, dtype=i32), 0, 255, u8)
case(f"{QD}quantize_per_tensor.tensor", "empty", t(0, 3), v(0.1), v(3, dtype=i32), 0, 255, u8)
case(f"{QD}quantize_per_tensor.tensor2", "all tensors", t(5, 7), v(0.013, dtype=f64), v(3, dtype=i64), s(-100, i64), s(90, i64), i8)
case(f"{QD}dequantize_per_tensor.tensor2", "all tensors", ints(5, 7, dtype=i8), v(0.013, dtype=f64), v(3, dtype=i64), s(-100, i64), s(90, i64), i8)

# A scale for each index of one dimension.
for axis in (0, 1, 2, -1):
    n = (3, 5, 7)[axis]
    case(f"{QD}quantize_per_channel", f"axis {axis}", t(3, 5, 7), t(n, lo=0.01, hi=0.02), ints(n), axis, -128, 127, i8)
    case(f"{QD}dequantize_per_channel", f"axis {axis}", ints(3, 5, 7, lo=-128, hi=127, dtype=i8), t(n, lo=0.01, hi=0.02), ints(n), axis, -128, 127, i8)
for dtype in HALVES:
    case(f"{QD}quantize_per_channel", f"{dtype}", t(5, 7, dtype=dtype), t(5, lo=0.01, hi=0.02), ints(5), 0, -128, 127, i8)
    case(f"{QD}dequantize_per_channel", f"to {dtype}", ints(5, 7, dtype=i8), t(5, lo=0.01, hi=0.02), ints(5), 0, -128, 127, i8, out_dtype=dtype)
    case(f"{QD}dequantize_per_channel", f"scales in {dtype}", ints(5, 7, dtype=i8), t(5, dtype=dtype, lo=0.01, hi=0.02), ints(5), 0, -128, 127, i8)
case(f"{QD}quantize_per_channel", "ties", ties(), v(1, 0.5, 2, 1, 1), ints(5, lo=0, hi=0), 0, -128, 127, i8)
case(f"{QD}quantize_per_channel", "float64 scales", t(5, 7), t(5, dtype=f64, lo=0.01, hi=0.02), ints(5), 0, -128, 127, i8)
case(f"{QD}quantize_per_channel", "uint8, narrow", t(5, 7), t(7, lo=0.01, hi=0.02), ints(7, lo=0, hi=90), 1, 1, 200, u8)
case(f"{QD}quantize_per_channel", "convolution", t(5, 3, 3, 2), t(5, lo=0.01, hi=0.02), ints(5, lo=0, hi=0), 0, -127, 127, i8)
case(f"{QD}quantize_per_channel", "empty", t(0, 3), t(3, lo=0.01), ints(3), 1, -128, 127, i8)
case(f"{QD}quantize_per_channel", "int32 zero points", t(5, 3), t(3, lo=0.01), ints(3, dtype=i32), 1, -128, 127, i8)
case(f"{QD}dequantize_per_channel", "no zero points", ints(5, 7, dtype=i8), t(7, lo=0.01, hi=0.02), None, 1, -128, 127, i8)
case(f"{QD}dequantize_per_channel", "float zero points", ints(5, 7, lo=0, hi=255, dtype=u8), t(5, lo=0.01, hi=0.02), t(5), 0, 0, 255, u8)
case(f"{QD}dequantize_per_channel", "zero points that wrap", v(-128, 127, 0, 100, dtype=i8).reshape(2, 2), t(2, lo=0.01), v(3, -50, dtype=i8), 0, -128, 127, i8)
case(f"{QD}dequantize_per_channel", "int32", ints(3, 5, lo=-(2**30), hi=2**30, dtype=i32), t(3, lo=0.01), ints(3), 0, -(2**31), 2**31 - 1, i32)
case(f"{QD}dequantize_per_channel", "empty", ints(3, 0, dtype=i8), t(3, lo=0.01), ints(3), 0, -128, 127, i8)
case(f"{QD}fake_quant_per_channel", "axis 1", t(3, 5), t(5, lo=0.01, hi=0.02), ints(5, dtype=i32), 1, -128, 127)
case(f"{QD}fake_quant_per_channel", "float64 scales, int64 zero points", t(3, 5), t(3, dtype=f64, lo=0.01, hi=0.02), ints(3), 0, -8, 7)

# A scale for each row, or group of a row.
ROWS = {"rows": (5, 7), "batch": (2, 3, 7), "one row": (1, 7), "a vector": (7,)}
for name, shape in ROWS.items():
    per_row = (*shape[:-1], 1)
    for dtype in (f32, f64):
        scales, zeros = t(*per_row, dtype=dtype, lo=0.01, hi=0.02), ints(*per_row, dtype=i64 if dtype is f64 else i32)
        case(f"{QD}quantize_per_token", f"{name}, scales in {dtype}", t(*shape), scales, zeros, -128, 127, i8)
        case(f"{QD}dequantize_per_token", f"{name}, scales in {dtype}", ints(*shape, dtype=i8), scales, zeros, -128, 127, i8, f32)
for dtype in FLOATS:
    zeros = t(5, 1, dtype=dtype, lo=0, hi=0)
    case(f"{QD}choose_qparams_per_token", f"{dtype}", t(5, 7, dtype=dtype), i8)
    case(f"{QD}choose_qparams_per_token_asymmetric", f"{dtype}", t(5, 7, dtype=dtype), i8)
    case(f"{QD}quantize_per_token", f"{dtype}", t(5, 7, dtype=dtype), t(5, 1, dtype=dtype, lo=0.01, hi=0.02), zeros, -128, 127, i8)
    case(f"{QD}dequantize_per_token", f"to {dtype}", ints(5, 7, dtype=i8), t(5, 1, dtype=f64, lo=0.01, hi=0.02), ints(5, 1), -128, 127, i8, dtype)
case(f"{QD}quantize_per_token", "ties after the zero point", ties(), v(1, 1, 1, 1, 1).reshape(5, 1), v(0, 0.5, -0.5, 1, 3).reshape(5, 1), -128, 127, i8)
case(f"{QD}choose_qparams_per_token", "zeros", t(3, 5, lo=0, hi=0), i8)
case(f"{QD}choose_qparams_per_token_asymmetric", "one sign, zeros, batch", torch.stack([t(3, 5, lo=1, hi=2), t(3, 5, lo=-2, hi=-1), t(3, 5, lo=0, hi=0)]), i8)
case(f"{QD}_choose_qparams_per_token_asymmetric_impl", "rows", t(5, 7), i8)
for group in (3, 5, 15):
    n = 7 * 15 // group
    case(f"{QD}quantize_per_channel_group", f"groups of {group}", t(7, 15), t(7, n // 7, lo=0.1, hi=0.3), ints(7, n // 7, dtype=i32), -8, 7, i8, group)
    case(f"{QD}dequantize_per_channel_group", f"groups of {group}", ints(7, 15, lo=-8, hi=7, dtype=i8), t(7, n // 7, lo=0.1, hi=0.3), ints(7, n // 7, dtype=i32), -8, 7, i8, group, f32)
for dtype in HALVES:
    case(f"{QD}quantize_per_channel_group", f"{dtype}", t(5, 9, dtype=dtype), t(5, 3, dtype=dtype, lo=0.1, hi=0.3), t(5, 3, dtype=dtype, lo=0, hi=0), -8, 7, i8, 3)
    case(f"{QD}dequantize_per_channel_group", f"to {dtype}", ints(5, 9, lo=-8, hi=7, dtype=i8), t(5, 3, dtype=dtype, lo=0.1, hi=0.3), None, -8, 7, i8, 3, dtype)
case(f"{QD}quantize_per_channel_group", "a group wider than the row", t(5, 7), t(5, 1, lo=0.1), ints(5, 1), -8, 7, i8, 128)

# Dynamic.
for dtype in FLOATS:
    for target, (low, high) in RANGES.items():
        case(f"{QD}choose_qparams.tensor", f"{dtype} for {target}", t(5, 7, dtype=dtype), low, high, 2.0**-12, target)
        case(f"{QD}choose_qparams_symmetric.tensor", f"{dtype} for {target}", t(5, 7, dtype=dtype), low, high, 2.0**-12, target)
    for name, (lo, hi) in {"positive": (1, 3), "negative": (-3, -1), "zeros": (0, 0), "small": (-1e-6, 2e-6)}.items():
        case(f"{QD}choose_qparams.tensor", f"{name}, {dtype}", t(3, 5, dtype=dtype, lo=lo, hi=hi), -128, 127, 1.1920928955078125e-07, i8)
case(f"{QD}choose_qparams.tensor", "reduced range", t(2, 3, 5), 0, 127, 1e-5, u8)
case(f"{QD}choose_qparams.tensor", "0-d", s(0.7), 0, 255, 1e-5, u8)
case(f"{QD}choose_qparams_symmetric.tensor", "negative", t(3, 5, lo=-3, hi=-1), -127, 127, 1e-5, i8)
case(f"{QD}convert_element_type.no_fuse", "to bfloat16", t(3, 5), bf16)
case(f"{QD}convert_element_type.no_fuse", "to itself", t(3, 5), f32)

# torchao: blocks of any shape.
BLOCKS = {
    "all": (6, 35),
    "rows": (1, 35),
    "columns": (6, 1),
    "groups of 5": (1, 5),
    "groups of 7": (1, 7),
    "blocks": (3, 5),
    "each": (1, 1),
}
for name, block in BLOCKS.items():
    blocks = (6 // block[0], 35 // block[1])
    for dtype in FLOATS:
        for mapping in ("SYMMETRIC", "ASYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR"):
            if name in ("all", "rows", "groups of 5") or (dtype is f32 and name != "each"):
                case(f"{AO}choose_qparams_affine", f"{mapping} {name} {dtype}", t(6, 35, dtype=dtype), mapping, list(block), i8)
        if dtype is f32 or name in ("rows", "groups of 7"):
            scale, zero = t(*blocks, lo=0.01, hi=0.02), ints(*blocks, dtype=i8)
            case(f"{AO}quantize_affine", f"{name} {dtype}", t(6, 35, dtype=dtype), list(block), scale, zero, i8)
            case(f"{AO}dequantize_affine", f"{name} to {dtype}", ints(6, 35, dtype=i8), list(block), scale, zero, i8, output_dtype=dtype)
for dtype in HALVES:
    scale, zero = t(6, 5, dtype=dtype, lo=0.01, hi=0.02), ints(6, 5, dtype=i8)
    case(f"{AO}quantize_affine", f"scales in {dtype}", t(6, 35, dtype=dtype), [1, 7], scale, zero, i8, -8, 7)
    case(f"{AO}dequantize_affine", f"scales in {dtype}", ints(6, 35, dtype=i8), [1, 7], scale, zero, i8, -8, 7, dtype)
    case(f"{AO}dequantize_affine", f"float32 of scales in {dtype}", ints(6, 35, dtype=i8), [1, 7], scale, zero, i8, -8, 7)
for bits in (2, 4):
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    for mapping in ("SYMMETRIC", "ASYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR"):
        case(f"{AO}choose_qparams_affine", f"{mapping} {bits} bits", t(5, 9), mapping, [1, 3], i8, low, high, zero_point_dtype=i8)
    case(f"{AO}quantize_affine", f"{bits} bits", t(5, 9), [1, 3], t(5, 3, lo=0.1, hi=0.5), ints(5, 3, lo=-1, hi=1, dtype=i8), i8, low, high)
CHOOSE = f"{AO}choose_qparams_affine"
case(CHOOSE, "unsigned", t(5, 7), "ASYMMETRIC", [1, 7], u8, 0, 255, 1e-6, f32, i32)
case(CHOOSE, "unsigned, symmetric", t(5, 7), "SYMMETRIC", [1, 7], u8, None, None, None, f64, i64)
case(CHOOSE, "seven bits, float ends", t(5, 7), "SYMMETRIC", [1, 7], i8, -63.5, 63.5)
case(CHOOSE, "keepdim", t(5, 9), "ASYMMETRIC", [1, 3], i8, -128, 127, None, f32, i32, True)
case(CHOOSE, "keepdim, batch", t(2, 3, 5), "SYMMETRIC", [1, 1, 5], i8, -127, 127, 1e-5, f32, i8, True)
case(CHOOSE, "one row", t(1, 7), "ASYMMETRIC", [1, 7], i8, -128, 127, 2.0**-23, f32, i32)
case(CHOOSE, "zeros", t(3, 5, lo=0, hi=0), "SYMMETRIC", [1, 5], i8)
case(CHOOSE, "zeros, no clipping", t(3, 5, lo=0, hi=0), "SYMMETRIC_NO_CLIPPING_ERR", [1, 5], i8)
case(CHOOSE, "positive", t(3, 5, lo=1), "ASYMMETRIC", [3, 5], i8)
case(CHOOSE, "negative", t(3, 5, lo=-3, hi=-1), "ASYMMETRIC", [1, 5], i8, eps=1.1920928955078125e-07)
case(CHOOSE, "a scale below eps", t(3, 5, lo=-1e-9, hi=1e-9), "ASYMMETRIC", [1, 5], i8, eps=0.0001)
case(CHOOSE, "bfloat16 scale", t(3, 5), "SYMMETRIC", [1, 5], i8, scale_dtype=bf16)
case(CHOOSE, "a vector", t(7), "ASYMMETRIC", [7], i8)
case(CHOOSE, "no rows", t(0, 5), "ASYMMETRIC", [1, 5], i8)
case(f"{AO}quantize_affine", "ties", ties(), [1, 7], v(1, 0.5, 2, 1, 1), ints(5, lo=0, hi=0, dtype=i32), i8)
case(f"{AO}quantize_affine", "unsigned, float zero points", t(5, 7), [5, 7], s(0.013), s(100.0), u8)
case(f"{AO}quantize_affine", "int32", t(5, 7), [1, 7], t(5, lo=1e-6, hi=2e-6), ints(5), i32)
case(f"{AO}quantize_affine", "batch", t(2, 3, 5), [1, 1, 5], t(2, 3, lo=0.01), ints(2, 3, dtype=i32), i8)
case(f"{AO}quantize_affine", "empty", t(3, 0), [1, 0], t(3, lo=0.01), ints(3, dtype=i32), i8)
case(f"{AO}quantize_affine", "infinite", v(inf, -inf, 1, -1), [4], v(0.1), v(0, dtype=i32), i8)
case(f"{AO}dequantize_affine", "no zero point", ints(5, 9, dtype=i8), [1, 3], t(5, 3, lo=0.01), None, i8)
case(f"{AO}dequantize_affine", "unsigned, float zero points", ints(5, 7, lo=0, hi=255, dtype=u8), [1, 7], t(5, lo=0.01), t(5), u8)
case(f"{AO}dequantize_affine", "embedding rows", ints(3, 5, 7, dtype=i8), [1, 1, 7], t(3, 5, 1, lo=0.01), ints(3, 5, 1, dtype=i8), i8, -8, 7)
case(f"{AO}dequantize_affine", "empty", ints(0, 6, dtype=i8), [1, 3], t(0, 2, lo=0.01), ints(0, 2, dtype=i8), i8)

# Floats of eight bits: every one of them, and numbers at, beside and between them.
for float8 in (torch.float8_e4m3fn, torch.float8_e5m2):
    every = torch.arange(256, dtype=u8).view(float8)
    values = every.float().nan_to_num(0, 0, 0).sort().values
    between = torch.cat([values, (values[1:] + values[:-1]) / 2])
    beside = torch.cat([between, between.nextafter(s(inf)), between.nextafter(s(-inf)), t(64, lo=-500, hi=500), v(-70000.0, 3e38, inf, -inf, nan)])
    for dtype in FLOATS:
        case("aten::_to_copy", f"every {float8} to {dtype}", every, dtype=dtype)
        case("aten::_to_copy", f"{dtype} to {float8}", beside.to(dtype), dtype=float8)
    case("aten::to.dtype", f"{float8} of integers", ints(17, lo=-90, hi=90), float8)
    case("aten::to.dtype", f"the other of {float8}", every, torch.float8_e5m2 if float8 is torch.float8_e4m3fn else torch.float8_e4m3fn)
    case("aten::permute", f"{float8}", every[:15].reshape(3, 5), [1, 0])
    case("aten::clone", f"{float8}, transposed", every[:15].reshape(3, 5).t())
    case("aten::cat", f"{float8}", [every[:6].reshape(2, 3), every[40:49].reshape(3, 3)], 0)
    for name, shape in {"tensor": (1,), "rows": (6, 1), "blocks": (2, 5), "0-d": ()}.items():
        scale = t(*shape, lo=0.1, hi=0.5)
        case(f"{AO}quantize_affine_float8_non_decomposed", f"{float8}, {name}", t(6, 10, lo=-300, hi=300), scale, float8)
        case(f"{AO}dequantize_affine_float8_non_decomposed", f"{float8}, {name}", t(6, 10, lo=-9, hi=9).to(float8), scale)
    for dtype in HALVES:
        case(f"{AO}quantize_affine_float8_non_decomposed", f"{float8} of {dtype}", t(6, 10, dtype=dtype), t(6, 1, lo=0.1), float8)
        case(f"{AO}dequantize_affine_float8_non_decomposed", f"{float8} to {dtype}", t(6, 10, lo=-9, hi=9).to(float8), t(6, 1, lo=0.1), dtype)
    case(f"{QD}quantize_per_tensor", f"{float8}", t(5, 7, lo=-30, hi=30), 0.037, 0, -57344 if float8 is torch.float8_e5m2 else -448, 448, float8)
    case(f"{QD}dequantize_per_tensor", f"{float8}", t(5, 7, lo=-30, hi=30).to(float8), 0.037, 0, -448, 448, float8)
    case(f"{AO}choose_scale_float8", f"bounds, blocks, {float8}", t(6, 10), [3, 5], float8, hp_value_lb=0.5, hp_value_ub=1.5)
for dtype in FLOATS:
    case(f"{AO}choose_scale_float8", f"rows of {dtype}", t(5, 7, dtype=dtype), [1, 7])

# Fake quantization that observes ranges, as models have it that are prepared for training with quantization.
on, off = torch.tensor([1]), torch.tensor([0])
for what, data in {"both signs": t(3, 5, lo=-3, hi=3), "positive": t(3, 5, lo=1, hi=3), "negative": t(3, 5, lo=-3, hi=-1), "tiny": t(3, 5, lo=-1e-6, hi=1e-6), "zeros": torch.zeros(3, 5)}.items():
    for symmetric in (False, True):
        for first in (True, False):
            state = (v(inf), v(-inf)) if first else (v(-0.5), v(2.0))
            case("_fused_moving_avg_obs_fq_helper_functional", f"{what}, {'symmetric, ' * symmetric}{'at first' if first else 'later'}",
                 data, on, on, *state, v(1.0), torch.zeros(1, dtype=torch.int32), 0.01, -128, 127, -1, False, symmetric)
        case("_fused_moving_avg_obs_fq_helper_functional", f"{what}, channels{', symmetric' * symmetric}",
             data, on, on, v(-0.5, inf, -2.0), v(0.5, -inf, 1.0), v(1.0, 1.0, 1.0), torch.zeros(3, dtype=torch.int32), 0.25, 0, 127, 0, True, symmetric)
for observes, quantizes in ((on, off), (off, on), (off, off)):
    case("fused_moving_avg_obs_fake_quant", f"observes: {bool(observes)}, quantizes: {bool(quantizes)}",
         t(3, 5, lo=-3, hi=3), observes, quantizes, v(-1.0), v(1.0), v(0.01), torch.ones(1, dtype=torch.int32), 0.25, 0, 255, -1)
case("_fused_moving_avg_obs_fq_helper", "writes to its state", t(3, 5, lo=-3, hi=3), on, on, v(-1.0), v(1.0), v(0.01), torch.ones(1, dtype=torch.int32), 0.25, 0, 255, -1)
