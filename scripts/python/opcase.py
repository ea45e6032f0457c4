"""The language op cases are written in: `case(op, name, *args, **kwargs)` with real tensors as arguments.

A tensor's values depend on its shape, dtype, range and place in the case, never on the cases before it, so adding a
case changes no other. Odd strides are written as what they are: `t(5, 3).t()`, `t(7, 5)[::2, 1:]`, `t(1, 3).expand(2, 3)`.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import torch

f16, bf16, f32, f64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
i8, i16, i32, i64, u8, b8, c64 = torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool, torch.complex64
nan, inf = math.nan, math.inf


@dataclass
class Case:
    """One call of one op.

    `meta_only`: the values are random or uninitialized, only dtypes and shapes are compared. `ignore`: positions of
    results that are an implementation's own bookkeeping and are not compared.
    """

    op: str
    name: str
    args: tuple
    kwargs: dict[str, Any]
    rtol: float | None = None
    atol: float | None = None
    why: str | None = None
    meta_only: bool = False
    ignore: tuple[int, ...] = ()


@dataclass
class _Book:
    cases: list[Case] = field(default_factory=list)
    tensors_made: int = 0


_book = _Book()


def take_cases() -> list[Case]:
    """The cases written since the last call."""
    cases, _book.cases = _book.cases, []
    return cases


def case(
    op: str,
    name: str,
    /,
    *args: Any,
    rtol: float | None = None,
    atol: float | None = None,
    why: str | None = None,
    meta_only: bool = False,
    ignore: tuple[int, ...] = (),
    **kwargs: Any,
) -> None:
    """Adds a case. `op` is a schema name without its namespace when that is aten: `add.Tensor`."""
    _book.tensors_made = 0
    full = op if "::" in op else f"aten::{op}"
    if any(c.op == full and c.name == name for c in _book.cases):
        raise ValueError(f"two cases of {full} are called '{name}'")
    _book.cases.append(Case(full, name, args, kwargs, rtol, atol, why, meta_only, ignore))


def _generator(*key: Any) -> torch.Generator:
    seed = 0
    for byte in repr((*key, _book.tensors_made)).encode():
        seed = (seed * 131 + byte) % (1 << 31)
    _book.tensors_made += 1
    return torch.Generator().manual_seed(seed)


def t(*shape: int, dtype: torch.dtype = f32, lo: float = -2, hi: float = 2) -> torch.Tensor:
    """A tensor of random values in [lo, hi]; integers of both ends included."""
    g = _generator(shape, dtype, lo, hi)
    if dtype is b8:
        return torch.rand(shape, generator=g) < 0.5
    if dtype.is_complex:
        return torch.complex(*(torch.rand(shape, generator=g) * (hi - lo) + lo for _ in "ri")).to(dtype)
    if dtype.is_floating_point:
        return (torch.rand(shape, generator=g, dtype=f64) * (hi - lo) + lo).to(dtype)
    return torch.randint(max(math.ceil(lo), torch.iinfo(dtype).min), math.floor(hi) + 1, shape, generator=g).to(dtype)


def ints(*shape: int, lo: int = -9, hi: int = 9, dtype: torch.dtype = i64) -> torch.Tensor:
    """A tensor of random integers in [lo, hi]."""
    return t(*shape, dtype=dtype, lo=lo, hi=hi)


def distinct(*shape: int, dtype: torch.dtype = f32) -> torch.Tensor:
    """A shuffled ramp around zero: no two elements are equal, so that sorting has one answer."""
    n = math.prod(shape)
    ramp = torch.randperm(n, generator=_generator(shape, "distinct")) - n // 2
    return (ramp * 0.5 if dtype.is_floating_point else ramp).to(dtype).reshape(shape)


def v(*values: Any, dtype: torch.dtype = f32) -> torch.Tensor:
    """Exactly these values."""
    return torch.tensor(list(values), dtype=dtype)


def s(value: Any, dtype: torch.dtype = f32) -> torch.Tensor:
    """A 0-d tensor."""
    return torch.tensor(value, dtype=dtype)


def edges(dtype: torch.dtype = f32) -> torch.Tensor:
    """The floats that formulas trip over."""
    return v(nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 1e-30, -1e-6, 30000.0, -90.0, 89.0, dtype=dtype)


def name_of(dtype: torch.dtype) -> str:
    """`float32`"""
    return str(dtype).removeprefix("torch.")
