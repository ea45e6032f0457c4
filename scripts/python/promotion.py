"""Writes packages/registry/src/promotion.golden.json: PyTorch's type promotion, every pair of dtypes and operand kinds.

    python scripts/python/promotion.py [--check]

Each operand is a tensor with a dimension (`dim`), a 0-d tensor (`zero`) or a Python number (`wrapped`).
The table has one row for each pair of kinds: names of result dtypes by index, -1 where PyTorch refuses.
"""

import itertools
import json

import torch

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/registry/src/promotion.golden.json"
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"]
WRAPPED = {"bool": True, "int": 2, "float": 2.5, "complex": 1j}


def operands() -> dict[str, list]:
    def make(name, shape):
        return torch.empty(shape, dtype=getattr(torch, name))

    return {
        "dim": [make(name, (2,)) for name in DTYPES],
        "zero": [make(name, ()) for name in DTYPES],
        "wrapped": list(WRAPPED.values()),
    }


def index_of_result(a, b) -> int:
    try:
        return DTYPES.index(str(torch.result_type(a, b)).removeprefix("torch."))
    except RuntimeError:
        return -1


def table() -> dict:
    groups = operands()
    pairs = [pair for pair in itertools.product(groups, groups) if pair != ("wrapped", "wrapped")]
    rows = {f"{x},{y}": [[index_of_result(a, b) for b in groups[y]] for a in groups[x]] for x, y in pairs}
    return {"torch": torch.__version__.split("+")[0], "dtypes": DTYPES, "wrapped": list(WRAPPED), "results": rows}


def text() -> str:
    document = json.dumps(table(), separators=(",", ":"))
    return document.replace('"results":{', '"results":{\n').replace('],"', '],\n"').replace("}}", "}\n}") + "\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
