"""Writing elements by position, functional forms."""
from math import inf, nan

from opcase import b8, bf16, c64, case, f16, f32, f64, i8, i32, i64, ints, name_of, s, t, u8, v


def at(*values):
    return v(*values, dtype=i64)


case("scatter.src", "rows", t(5, 3), 0, v([4, 0, 2], [1, 3, 0], dtype=i64), t(2, 3))
case("scatter.src", "last, smaller index", t(3, 5), -1, v([4, 0], [1, 3], dtype=i64), t(3, 5))
case("scatter.src", "int64 transposed", ints(3, 5).t(), 0, v([1, 4, 0], dtype=i64), ints(1, 3))
case("scatter.src", "empty index", t(3), 0, at(), t(2))
case("scatter.value", "ones", t(2, 5), 1, v([1], [3], dtype=i64), 1.5)
case("scatter.value", "bool", t(5, dtype=b8), 0, at(0, 4), True)
case("scatter.value", "int value in float16", t(5, dtype=f16), 0, at(2), 3)
case("scatter.reduce", "add", t(5), 0, at(1, 1, 4), t(3), reduce="add")
case("scatter.reduce", "multiply", t(5), 0, at(1, 1, 4), t(3), reduce="multiply")
case("scatter.value_reduce", "add", t(5), 0, at(1, 1, 4), 2.5, reduce="add")
case("scatter_add", "repeated", t(3, 5), 1, v([1, 1, 4], [0, 0, 0], dtype=i64), t(2, 3))
case("scatter_add", "int64", ints(5), 0, at(2, 2, 2, 0), ints(4))
for dtype, large in ((f16, 1024), (bf16, 256)):
    case("scatter_add", f"{name_of(dtype)}: small numbers add up", v(large, dtype=dtype), 0, at(*[0] * 40), v(*[0.25] * 40, dtype=dtype))
case("scatter_add", "float64 transposed", t(5, 3, dtype=f64).t(), 0, v([2, 0, 2], dtype=i64), t(1, 3, dtype=f64))
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    case("scatter_reduce.two", f"{reduce}", t(3, 5), 1, v([1, 1, 4], [0, 0, 0], dtype=i64), t(2, 3), reduce)
    case("scatter_reduce.two", f"{reduce} without self", t(5), 0, at(1, 1, 4), t(3), reduce, include_self=False)
    case("scatter_reduce.two", f"{reduce} int64", ints(5), 0, at(1, 1, 4), ints(3), reduce)
for dtype in (f32, f16, bf16, f64, i64):
    case("scatter_add", f"expanded index, {name_of(dtype)}", ints(5, 7).to(dtype), 0, at(4, 0, 4, 1, 4, 0)[:, None].expand(-1, 7), ints(6, 7).to(dtype))
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    case("scatter_reduce.two", f"{reduce} of rows without self", t(5, 7), 0, at(4, 0, 4, 1, 4, 0)[:, None].expand(-1, 7), t(6, 7), reduce, include_self=False)
for reduce in ("amax", "amin"):
    case("scatter_reduce.two", f"{reduce} of rows with NaN and zeros", t(2, 5), 0, at(1, 1, 0)[:, None].expand(-1, 5), v([nan, 0.0, -0.0, 2, 0.0], [1, -0.0, 0.0, nan, -1], [0, nan, 3, -inf, inf]), reduce)
case("scatter.src", "expanded along the first dimension", t(3, 5), 1, at(4, 0, 4).expand(3, -1), t(3, 4))
case("scatter_reduce.two", "prod int32 that wraps around", v(1, 3, 5, dtype=i32), 0, at(0, 1, 1, 1), v(2**31 - 1, 123456789, 987654321, 2**30 + 7, dtype=i32), "prod")
case("index_put", "complex64", t(5, 3, dtype=c64), [at(0, 2, 4)], t(3, dtype=c64))
case("index_put", "complex64 added twice", t(5, 3, dtype=c64), [at(0, 2, 0)], t(3, 3, dtype=c64), True)
case("index_put", "complex64 added by mask", t(4, dtype=c64), [v(True, False, True, True, dtype=b8)], t(3, dtype=c64), True)
case("index_put", "pairs", t(5, 7), [at(0, 2, 4), at(1, -1, 3)], t(3))
case("index_put", "rows, value broadcasts", t(5, 3), [at(4, 1)], s(2.5))
case("index_put", "columns", t(3, 5), [None, at(4, 1)], t(3, 2))
case("index_put", "accumulate repeated", t(5), [at(1, 1, 4, 1)], t(4), True)
case("index_put", "accumulate rows", t(3, 5), [at(2, 2, 0)], t(3, 5), True)
case("index_put", "bool mask", t(3, 5), [t(3, 5) > 0], s(-1.0))
case("index_put", "bool mask, int64 values", ints(5), [v(True, False, True, True, False, dtype=b8)], at(7, 8, 9))
case("index_put", "separated indices", t(2, 3, 5), [at(0, 1), None, at(2, 4)], t(2, 3))
case("index_put", "empty index", t(5), [at()], t(0))
case("_unsafe_index_put", "pairs", t(5, 7), [at(0, 2), at(1, 3)], t(2))
case("_unsafe_index.Tensor", "pairs", t(5, 7), [at(0, 2), at(1, 3)])
case("index_add", "repeated, alpha", t(5, 3), 0, at(1, 1, 4), t(3, 3), alpha=-2)
case("index_add", "last, int32 index", ints(3, 5), -1, v(4, 0, dtype=i32), ints(3, 2))
case("index_copy", "rows", t(5, 3), 0, at(4, 1), t(2, 3))
case("index_copy", "middle", t(2, 5, 3), 1, at(0, 3), t(2, 2, 3))
case("index_fill.int_Scalar", "columns", t(3, 5), 1, at(0, -1), 7)
case("index_fill.int_Tensor", "rows", t(3, 5), 0, at(2), s(0.5))
case("index_reduce", "amax", t(5, 3), 0, at(1, 1, 4), t(3, 3), "amax")
case("masked_scatter", "in order", t(3, 5), t(3, 5) > 0, t(15))
case("masked_scatter", "broadcast mask, int64", ints(2, 5), v(True, False, True, False, True, dtype=b8), ints(6))
case("put", "flat positions", t(3, 5), at(0, 14, -2), t(3))

case("select_scatter", "row", t(3, 5), t(5), 0, 1)
case("select_scatter", "negative, transposed", t(5, 3).t(), t(3), -1, -2)
case("slice_scatter", "middle", t(7, 3), t(3, 3), 0, 2, 5)
case("slice_scatter", "step", t(2, 11), t(2, 3), 1, 1, 10, 3)
case("slice_scatter", "to the end", ints(7), ints(4), 0, 3, 9223372036854775807)
case("slice_scatter", "negative ends", t(7), t(4), 0, -5, -1)
case("slice_scatter", "source broadcasts", t(5, 3), t(1, 3).expand(2, 3), 0, 1, 3)
case("diagonal_scatter", "above", t(3, 5), t(3), 1)
case("diagonal_scatter", "below, inner dimensions, half source", t(2, 5, 3), t(2, 3, dtype=f16), -2, -2, -1)
case("diagonal_scatter", "transposed, outside", t(5, 3).t(), t(0), 7)
case("as_strided_scatter", "overlapping none", t(3, 5), t(2, 2), [2, 2], [5, 2], 1)
case("select_scatter", "uint8", ints(3, 2, dtype=u8, lo=0, hi=9), ints(2, dtype=u8, lo=0, hi=9), 0, 2)
case("copy", "broadcasts and casts", t(2, 3), ints(3))
case("copy", "to bfloat16", t(5, dtype=bf16), t(5))
case("copy", "transposed", t(3, 2).t(), t(2, 3))
case("fill.Scalar", "float", t(2, 3), 2.5)
case("fill.Scalar", "int64 truncates", ints(3), 7)
case("fill.Tensor", "0-d", t(2, 3), s(1.5))
case("masked_fill.Scalar", "scatter neighbor", t(3, 5), t(3, 1) > 0, 3)
case("fill.Scalar", "transposed", t(3, 2).t(), -1.5)
case("masked_scatter", "nothing chosen", t(5), t(5) > 9, t(5))
six = [v(*(k * n % 2 - (k > 1) for k in range(3)), dtype=i64) for n in range(6)]
case("index_put", "six indices", t(2, 2, 2, 2, 2, 2), six, s(2.5))
case("index_put", "six indices, added", ints(2, 2, 2, 2, 2, 2), six, ints(3), True)
case("index_add", "int32, alpha with a fraction", v(1, 2, dtype=i32), 0, at(0), v(3, dtype=i32), alpha=1.5)
# Counts have the dtype of the tensor, in which they wrap around, or are rounded.
for dtype, count in ((i8, 127), (i8, 256), (i8, 300), (u8, 255), (u8, 300), (bf16, 257), (f16, 2049)):
    many = (v(5, 7, dtype=dtype), 0, s(0, i64).expand(count), s(3, dtype).expand(count), "mean")
    for include in (True, False):
        name = f"{count} {name_of(dtype)} are one, {'and' if include else 'without'} what is there"
        case("scatter_reduce.two", name, *many, include_self=include)
        if dtype in (i8, u8):
            case("index_reduce", name, *many, include_self=include)
case("index_put", "flags added by mask", v(True, True, False, False, dtype=b8), [v(True, False, True, False, dtype=b8)], v(True, True, dtype=b8), True)
for index in (at(), at(0), at(0, 0, -1)):
    case("index_fill.int_Scalar", f"a number, {len(index)} times", s(2.5), 0, index, -1)
    case("index_fill.int_Tensor", f"a number, {len(index)} times", s(3, i64), -1, index, s(7, i64))
