"""Writes packages/registry/src/scalar/functions.golden.json: what PyTorch computes for single elements.

Usage: python scripts/python/scalar_goldens.py [--check]
Values are strings, so that NaN, infinities, negative zero and 64-bit integers survive JSON.
"""

import json

import torch

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/registry/src/scalar/functions.golden.json"
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOAT_VALUES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    0.1,
    7.3,
    -7.3,
    88.0,
    1e-3,
    1e-30,
    -1e30,
    300.7,
    70000.0,
    -129.0,
    3e9,
    -3e9,
    2.5e10,
    1e20,
    65519.0,
    65520.0,
    6e-8,
    3e-8,
    0.9999,
    1 - 1e-13,
    -15 + 4e-15,
    1e-300,
    float("inf"),
    float("-inf"),
    float("nan"),
]
PAIRS = [
    (a, b)
    for a in (7.5, -7.5, 0.0, -0.0, 1.0, -1.0, 2.0, float("inf"), float("nan"), 1e-3, 300.0)
    for b in (2.0, -2.0, 0.5, 0.0, -0.0, 3.0, float("-inf"), float("nan"))
]
UNARY = {
    name: getattr(torch, name)
    for name in ["neg", "abs", "sign", "ceil", "floor", "trunc", "round", "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "lgamma", "digamma", "isnan", "isinf"]
}
BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "floordiv": torch.floor_divide,
    "truncdiv": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "mod": torch.remainder,
    "fmod": torch.fmod,
    "pow": torch.pow,
    "atan2": torch.atan2,
    "min": torch.minimum,
    "max": torch.maximum,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
    "xor": torch.bitwise_xor,
    "shl": torch.bitwise_left_shift,
    "shr": torch.bitwise_right_shift,
    "copysign": torch.copysign,
    "hypot": torch.hypot,
    "nextafter": torch.nextafter,
}
FLOAT_ONLY = {"div", "atan2", "copysign", "hypot", "nextafter"}
BITWISE = {"and", "or", "xor", "shl", "shr"}
DIVISIONS = {"floordiv", "truncdiv", "mod", "fmod"}


def texts(tensor):
    return [str(value) for value in tensor.tolist()]


def name(dtype):
    return str(dtype).removeprefix("torch.")


def edges(dtype):
    info = torch.iinfo(dtype)
    return sorted({info.min, info.min + 1, -7 if info.min else 9, -1 if info.min else 4, 0, 1, 2, 7, info.max})


def casts():
    for source in [*FLOATS, *INTS, torch.bool]:
        values = [False, True] if source is torch.bool else edges(source) if source in INTS else FLOAT_VALUES
        x = torch.tensor(values, dtype=source)
        for target in [*FLOATS, *INTS, torch.bool]:
            yield {"fn": "cast", "dtype": name(source), "to": name(target), "x": texts(x), "out": texts(x.to(target))}


def unary():
    for fn, run in UNARY.items():
        for dtype in (torch.float32, torch.float64):
            x = torch.tensor(FLOAT_VALUES, dtype=dtype)
            # A vector kernel may round differently from the scalar one: one element at a time is PyTorch's own answer.
            out = torch.stack([run(v) for v in x])
            yield {"fn": fn, "dtype": name(dtype), "x": texts(x), "out": texts(out)}
    for fn in ("neg", "abs", "sign"):
        for dtype in INTS:
            x = torch.tensor(edges(dtype), dtype=dtype)
            yield {"fn": fn, "dtype": name(dtype), "x": texts(x), "out": texts(UNARY[fn](x))}
    for dtype in [*INTS, torch.bool]:
        x = torch.tensor([False, True] if dtype is torch.bool else edges(dtype), dtype=dtype)
        yield {"fn": "not", "dtype": name(dtype), "x": texts(x), "out": texts(torch.bitwise_not(x))}


def binary():
    for fn, run in BINARY.items():
        if fn not in BITWISE:
            for dtype in FLOATS if fn not in {"nextafter", "hypot", "atan2"} else (torch.float32, torch.float64):
                x = torch.tensor([a for a, _ in PAIRS], dtype=dtype)
                y = torch.tensor([b for _, b in PAIRS], dtype=dtype)
                yield {
                    "fn": fn,
                    "dtype": name(dtype),
                    "x": texts(x),
                    "y": texts(y),
                    "out": texts(torch.stack([run(a, b) for a, b in zip(x, y, strict=True)])),
                }
        if fn not in FLOAT_ONLY:
            for dtype in INTS:
                least = torch.iinfo(dtype).min
                pairs = [(a, b) for a in edges(dtype) for b in edges(dtype) if fn not in DIVISIONS or (b != 0 and not (a == least and b == -1))]
                if fn in {"shl", "shr", "pow"}:
                    pairs = [(a, b) for a, b in pairs if abs(b) <= 9]
                x = torch.tensor([a for a, _ in pairs], dtype=dtype)
                y = torch.tensor([b for _, b in pairs], dtype=dtype)
                yield {"fn": fn, "dtype": name(dtype), "x": texts(x), "y": texts(y), "out": texts(run(x, y))}
        if fn in {"add", "mul", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor"}:
            x, y = torch.tensor([False, False, True, True]), torch.tensor([False, True, False, True])
            yield {"fn": fn, "dtype": "bool", "x": texts(x), "y": texts(y), "out": texts(run(x, y))}


def text():
    lists = {}  # Operands repeat from case to case: each list is stored once and named by its position.
    rows = []
    for row in (row for part in (casts(), unary(), binary()) for row in part):
        for key in ("x", "y", "out"):
            if key in row:
                row[key] = lists.setdefault(" ".join(row[key]), len(lists))
        rows.append(json.dumps(row))
    version = torch.__version__.split("+")[0]
    cases, operands = ",\n".join(rows), ",\n".join(map(json.dumps, lists))
    return f'{{"torch": "{version}", "cases": [\n{cases}\n], "lists": [\n{operands}\n]}}\n'


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
