"""Writes tests/fixtures/ties.json.gz: in which order PyTorch's CPU puts equal elements, NaN, both zeros and infinities.

    python scripts/python/ties.py

Tensors are drawn by a formula that the test has too (`drawn`), and of results only hashes and the first numbers are kept,
so that thousands of elements cost a line. Which of equal elements comes first depends on the algorithm, and that on the
size: there are sizes around every threshold.
"""

import gzip
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import torch

from tensor_files import raw_bytes

TARGET = pathlib.Path(__file__).parents[2] / "tests/fixtures/ties.json.gz"
SIZES = (1, 2, 3, 15, 16, 17, 31, 67, 257, 1009, 5003)
SPECIAL = (float("nan"), 0.0, -0.0, float("inf"), float("-inf"))
f16, bf16, f32, f64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
i32, i64, u8, b8 = torch.int32, torch.int64, torch.uint8, torch.bool


def drawn(count: int, distinct: int) -> list[int]:
    """Numbers below `distinct` that depend on their place alone."""
    result = []
    for i in range(count):
        h = (i * 2654435761 + 12345) & 0xFFFFFFFF
        h = ((h ^ (h >> 15)) * 2246822519) & 0xFFFFFFFF
        h = ((h ^ (h >> 13)) * 3266489917) & 0xFFFFFFFF
        result.append((h >> 8) % distinct)
    return result


def tensor(shape: list[int], dtype: torch.dtype, distinct: int, what: str) -> torch.Tensor:
    """`special`: NaN, zeros of both signs and infinities are among the elements; `big`: integers that no double holds."""
    numbers = drawn(int(torch.Size(shape).numel()), distinct)
    if dtype.is_floating_point:
        values: list[Any] = [SPECIAL[n] if what == "special" and n < 5 else (n - distinct // 2) * 0.5 for n in numbers]
    else:
        values = [n + (2**60 if what == "big" else 0) for n in numbers]
    if what == "nan":
        values = [float("nan")] * len(values)
    return torch.tensor(values, dtype=dtype).reshape(shape)


def hash_of(data: bytes) -> int:
    """FNV-1a of 32 bits."""
    h = 2166136261
    for byte in data:
        h = ((h ^ byte) * 16777619) & 0xFFFFFFFF
    return h


def answer(result: torch.Tensor) -> list[Any]:
    """Shape, hash and the first numbers. All NaNs have the same bits here."""
    result = result.contiguous()
    if result.dtype.is_floating_point:
        result = torch.where(result.isnan(), torch.full_like(result, float("nan")), result)
        return [list(result.shape), hash_of(raw_bytes(result)), [str(x) for x in result.flatten()[:6].tolist()]]
    return [list(result.shape), hash_of(raw_bytes(result)), result.flatten()[:6].to(i64).tolist()]


def calls(n: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ops with arguments, for a dimension of `n` elements."""
    for descending in (False, True):
        yield "sort", {"descending": descending}
        yield "sort.stable", {"stable": True, "descending": descending}
    yield "sort.stable", {"stable": False}
    yield "argsort", {}
    yield "argsort.stable", {"stable": False, "descending": True}
    for k in sorted({1, min(n, 7), max(1, n // 64), n // 64 + 1, max(1, n // 2), n}):
        for largest, order in ((True, True), (False, True), (True, False)):
            if k <= n:
                yield "topk", {"k": k, "largest": largest, "sorted": order}
    for k in sorted({1, max(1, n // 3), n}):
        yield "kthvalue", {"k": k}
    for op in ("median.dim", "nanmedian.dim", "mode", "max.dim", "min.dim", "argmax", "argmin", "cummax", "cummin"):
        yield op, {}
    for op in ("_unique2", "unique_consecutive"):
        yield op, {"return_inverse": True, "return_counts": True}
    yield "unique_dim", {"return_inverse": True, "return_counts": True}
    yield "msort", {}


# Shape, dtype, how many distinct elements there are, what else, which dimension: for ops that take one.
Input = tuple[list[int], torch.dtype, int, str, int]


def inputs() -> Iterator[Input]:
    for n in SIZES:
        yield [n], f32, 5, "", 0
        yield [n], f32, 11, "special", 0
    for n in (17, 67, 257, 1009):
        yield [n], f32, 1, "", 0
        yield [n], f32, 3, "nan", 0
    for dtype in (f16, bf16, f64, i32, i64, u8, b8):
        yield [257], dtype, 2 if dtype is b8 else 9, "special" if dtype.is_floating_point else "", 0
    yield [257], i64, 9, "big", 0
    yield [3, 67], f32, 7, "special", 1
    yield [67, 3], i64, 7, "", 0
    yield [2, 257, 3], f32, 40, "", 1
    # Where one- and two-dimensional tensors of many integers go different ways.
    yield [40009], i32, 100, "", 0
    yield [2, 40009], i32, 100, "", 1


def rows() -> Iterator[list[Any]]:
    for shape, dtype, distinct, what, dim in inputs():
        for op, args in calls(shape[dim]):
            if shape[dim] > 10000 and op.split(".")[0] not in ("sort", "topk", "kthvalue", "mode"):
                continue
            # It sorts rows by a comparison that is not an order where there are NaNs.
            if op == "unique_dim" and what in ("special", "nan"):
                continue
            x = tensor(shape, dtype, distinct, what)
            name, _, overload = op.partition(".")
            function = getattr(getattr(torch.ops.aten, name), overload or "default")
            takes = {argument.name for argument in function._schema.arguments}
            given = args | ({"dim": dim} if "dim" in takes and not (op == "unique_consecutive" and len(shape) == 1) else {})
            try:
                results = function(x, **given)
            except (RuntimeError, NotImplementedError):
                continue
            listed = [results] if isinstance(results, torch.Tensor) else list(results)
            yield [op, given, str(dtype)[6:], shape, distinct, what, [answer(result) for result in listed]]


if __name__ == "__main__":
    torch.set_num_threads(1)
    lines = [json.dumps(row, separators=(",", ":")) for row in rows()]
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(lines)} calls, {TARGET.stat().st_size // 1000} kB")
