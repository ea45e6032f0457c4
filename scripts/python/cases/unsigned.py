"""uint16, uint32 and uint64: what PyTorch computes of them, in values with the highest bit too."""
import torch

from opcase import b8, bf16, c64, case, f16, f32, f64, i8, i16, i32, i64, name_of, t, u8, v

UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
SMALL = (b8, u8, i8, i16, i32, i64, f16, bf16, f32, f64, c64)


def small(dtype, *shape):
    """Distinct values that every integer dtype has."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 37 + 5) % 101).to(dtype).reshape(shape)


def high(dtype):
    """Values with the highest bit, of dtypes that the GPU holds whole."""
    top = 2 ** (8 * min(dtype.itemsize, 4))
    return v(0, 1, top - 1, top // 2, top // 2 + 3, 7, dtype=dtype)


def indices(*values):
    return v(*values, dtype=i64)


for a in UNSIGNED:
    n = name_of(a)
    for b in SMALL + tuple(d for d in UNSIGNED if d is not a):
        case("_to_copy", f"{n} to {name_of(b)}", small(a, 5), dtype=b)
    for b in SMALL[:-1]:
        case("_to_copy", f"{name_of(b)} to {n}", small(b, 5), dtype=a)
    case("_to_copy", f"{n} with the highest bit to float32", high(a), dtype=f32)
    case("_to_copy", f"{n} with the highest bit to int32", high(a), dtype=i32)
    case("_to_copy", f"{n} with the highest bit to int16", high(a), dtype=i16)
    case("_to_copy", f"{n} with the highest bit to bfloat16", high(a), dtype=bf16)
    case("_to_copy", f"{n} with the highest bit to bool", high(a), dtype=b8)
    case("_to_copy", f"fractions to {n}", v(0.5, 2.75, 300.5, 65535.0), dtype=a)
    case("_to_copy", f"{n} that is transposed", small(a, 3, 5).t(), dtype=f32)
    case("clone", f"{n}", high(a))
    case("mul.Tensor", f"{n}", small(a, 2, 3), small(a, 3))
    case("mul.Tensor", f"{n} by a number", small(a, 5), 3)
    case("mul.Tensor", f"{n} by a fraction", small(a, 5), 1.5)
    case("add.Tensor", f"{n} to float32", small(a, 5), t(5))
    case("div.Tensor", f"{n}", small(a, 5), small(a, 5))
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        case(f"{op}.Tensor", f"{n}", high(a), high(a)[[5, 3, 4, 1, 2, 0]])
        case(f"{op}.Scalar", f"{n}", high(a), 13)
    for op in ("eq", "ne"):
        case(f"{op}.Tensor", f"{n}", high(a), high(a)[[0, 2, 1, 3, 5, 4]])
        case(f"{op}.Scalar", f"{n}", high(a), 7)
    case("where.self", f"{n}", v(True, False, True, True, False, False, dtype=b8), high(a), small(a, 6))
    case("sqrt", f"{n}", small(a, 5))
    case("floor", f"{n}", high(a))
    case("isfinite", f"{n}", high(a))
    case("signbit", f"{n}", high(a))
    case("nan_to_num", f"{n}", high(a))
    case("cat", f"{n}", [small(a, 2, 3), small(a, 1, 3)])
    case("cat", f"{n} and float32", [small(a, 3), t(2)])
    case("stack", f"{n}", [high(a), high(a)], 1)
    case("index.Tensor", f"{n}", small(a, 5, 3), [indices(4, 0, -2)])
    case("index.Tensor", f"{n} where a mask is true", high(a), [v(True, False, True, True, False, False, dtype=b8)])
    case("embedding", f"{n}", small(a, 5, 3), indices(4, 0, 2))
    case("full", f"{n}", [2, 3], 200, dtype=a)
    case("full_like", f"{n}", small(a, 2), 7)
    case("zeros", f"{n}", [3], dtype=a)
    case("fill.Scalar", f"{n}", small(a, 3), 9)
    case("copy", f"int64 to {n}", small(a, 3), small(i64, 3))
    case("sum", f"{n}", small(a, 2, 3))
    case("sum.dim_IntList", f"{n}", small(a, 2, 3), [1], True)
    case("sum.dim_IntList", f"{n} as float32", small(a, 2, 3), [0], dtype=f32)
    case("mean.dim", f"{n} as float32", small(a, 2, 3), [1], dtype=f32)
    case("prod", f"{n}", small(a, 3))
    case("cumsum", f"{n}", small(a, 5), 0)
    case("cumprod", f"{n}", small(a, 3), 0)
    case("any.dim", f"{n}", high(a).reshape(2, 3), 1)
    case("all", f"{n}", high(a))
    case("sort", f"{n}", high(a))
    case("sort.stable", f"{n}, descending", high(a), stable=True, dim=0, descending=True)
    case("unique_consecutive", f"{n}", high(a)[[0, 0, 2, 2, 3, 1]])
    case("roll", f"{n}", small(a, 5), [2], [0])
    case("repeat", f"{n}", small(a, 3), [2, 2])
    case("repeat_interleave.self_int", f"{n}", small(a, 3), 2)
    case("constant_pad_nd", f"{n}", small(a, 2, 3), [1, 2], 4)
    case("diag_embed", f"{n}", small(a, 3))
    case("slice_scatter", f"{n}", small(a, 5), high(a)[:2], 0, 1, 3)
    case("select_scatter", f"{n}", small(a, 3, 2), high(a)[:2], 0, 1)
    case("as_strided", f"{n}", small(a, 6), [2, 2], [1, 2], 1)
    case("equal", f"{n}", high(a), high(a))
    case("item", f"{n}", high(a)[2])
for a, b in zip(UNSIGNED, (i16, i32, i64), strict=True):
    case("view.dtype", f"{name_of(a)} as {name_of(b)}", small(a, 6), b)
    case("view.dtype", f"{name_of(b)} as {name_of(a)}", small(b, 6), a)
    case("view.dtype", f"{name_of(a)} as bytes", small(a, 3), u8)
case("_to_copy", "uint32 with the highest bit to float64", high(torch.uint32), dtype=f64)
u64 = torch.uint64
LARGE = v(2**64 - 1, 2**63, 2**63 + 1, 2**53 + 1, 2**24 + 1, 2**63 + 2**39 + 1, 2**64 - 2**40 - 1, dtype=u64)
for b in (f32, f64, bf16, i64, i32, torch.uint32, torch.uint16, u8, b8):
    case("_to_copy", f"uint64 beyond int64 to {name_of(b)}", LARGE, dtype=b)
case("_to_copy", "float64 beyond int64 to uint64", v(1e10, 1e19, 2.0**63, 2.0**63 + 2048, 1.8e19, 3.5, dtype=f64), dtype=u64)
case("_to_copy", "float32 beyond int64 to uint64", v(1e10, 1e19, 2.0**63, 1.8e19, 3.5, 7.0), dtype=u64)
case("_to_copy", "int64 that is negative to uint64", v(-1, -(2**63), 5, dtype=i64), dtype=u64)
case("mul.Tensor", "uint64 wraps", LARGE, v(3, 5, 7, 9, 11, 13, 15, dtype=u64))
case("eq.Scalar", "uint64 beyond int64", LARGE, 5)
case("sort", "uint64 beyond int64", LARGE)
case("cat", "uint64 beyond int64", [LARGE, LARGE])
