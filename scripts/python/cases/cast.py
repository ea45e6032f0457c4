"""Changes of dtype, with what each rounds, wraps or overflows to."""
import math

import torch

from opcase import b8, bf16, c64, case, distinct, edges, f16, f32, f64, i8, i16, i32, i64, ints, name_of, s, t, u8, v

ALL = (f64, f32, f16, bf16, i64, i32, i16, i8, u8, b8)


def source(dtype):
    """Values that every dtype but bool can hold, so that each cast is defined."""
    return v(0, 1, 2, 100, 7, dtype=dtype) if dtype is not b8 else v(True, False, dtype=b8)


for a in ALL:
    for b in ALL:
        if a is not b:
            case("_to_copy", f"{name_of(a)} to {name_of(b)}", source(a), dtype=b)
for b in (i64, i32, i16, i8):
    case("_to_copy", f"fractions truncate to {name_of(b)}", v(-2.7, -0.5, 0.5, 2.7), dtype=b)
case("_to_copy", "float32 to float16 rounds to even, overflows, keeps subnormals",
     v(1.00048828125, 1.00146484375, 65519.0, 65520.0, -1e6, 6e-8, 2e-8, 5.9e-5), dtype=f16)
case("_to_copy", "float32 to bfloat16 rounds to even", v(1.00390625, 1.01171875, 3.3961e38, 1e-40, -0.0), dtype=bf16)
case("_to_copy", "edges to float16", edges(), dtype=f16)
case("_to_copy", "edges to bfloat16", edges(), dtype=bf16)
case("_to_copy", "edges to bool", edges(), dtype=b8)
case("_to_copy", "edges to float64", edges(), dtype=f64)
case("_to_copy", "float64 to float32 rounds", v(0.1, 1e-50, 1e300, 16777217.0, dtype=f64), dtype=f32)
case("_to_copy", "int64 to float32 rounds", v(2**24 + 1, 2**53 + 1, -(2**62) + 7, dtype=i64), dtype=f32)
case("_to_copy", "int64 to float64 rounds", v(2**53 + 1, -(2**62) + 7, dtype=i64), dtype=f64)
case("_to_copy", "int64 to int32 wraps", v(2**31, 2**32 + 5, -(2**31) - 1, dtype=i64), dtype=i32)
case("_to_copy", "int32 to int8 wraps", v(128, 255, -129, 300, dtype=i32), dtype=i8)
case("_to_copy", "int8 to uint8 wraps", v(-1, -128, 127, dtype=i8), dtype=u8)
case("_to_copy", "transposed", t(3, 2).t(), dtype=i64)
case("_to_copy", "float32 to complex64", t(3), dtype=c64)
case("_to_copy", "no dtype copies", t(2, 3))
case("_to_copy", "as exporters write it", t(2, 3), dtype=f32, layout=torch.strided, device=torch.device("cpu"))
case("to.dtype", "same dtype", t(2, 3), f32)
case("to.dtype", "float to int64", t(2, 3, lo=-9, hi=9), i64)
case("to.dtype", "bool to float32", t(5, dtype=b8), f32)
case("to.dtype_layout", "float16", t(2, 3), dtype=f16)
case("to.dtype_layout", "layout and device only", t(2, 3), layout=torch.strided, device=torch.device("cpu"))
case("to.device", "float32 on cpu", t(2, 3), torch.device("cpu"), f32)
case("to.device", "to int64", t(5, lo=-9, hi=9), torch.device("cpu"), i64)
case("to.other", "like another", t(3), ints(2))
case("type_as", "other", t(3, lo=-9, hi=9), ints(2))
case("float_power.Tensor_Scalar", "gives float64", ints(5), 2)
case("prims::convert_element_type", "float32 to int32", t(5, lo=-9, hi=9), i32)
case("prims::convert_element_type", "int64 to float16", distinct(5, dtype=i64), f16)
case("view_as_real", "of cast", t(2, dtype=c64))
case("item", "float32", s(2.5))
case("item", "float64", s(0.1, f64))
case("item", "int64 beyond 2^53", s(2**53 + 1, i64))
case("item", "bool", s(True, b8))
case("item", "one element of three dims", ints(1, 1, 1))
case("_local_scalar_dense", "float16", s(0.1, f16))
case("_local_scalar_dense", "int32", s(-7, i32))
case("to.device", "same dtype", ints(3), torch.device("cpu"), i64)
case("to.dtype_layout", "int64 to float32", ints(5), dtype=f32, layout=torch.strided, device=torch.device("cpu"))
case("_local_scalar_dense", "bool", s(True, b8))
case("prims::convert_element_type", "float32 to complex64", t(5), c64)
# To uint8 float64 goes by way of an int64, which `casts.test.ts` of the wasm backend has: a narrower float has no such numbers.
beyond = v(-(2.0**31) - 1, 2.0**31, 2.0**32 - 1, -(2.0**32) - 7, 2.0**40 + 5, 2.0**63, math.nan, math.inf, -300, 511.9, dtype=f64)
for dtype in (i8, i16, i32):
    case("_to_copy", f"float64 beyond int32 to {name_of(dtype)}", beyond, dtype=dtype)
