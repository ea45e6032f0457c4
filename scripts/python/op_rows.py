"""Writes what calls of ops return, as rows: `python op_rows.py [KIND ...] [--check]`.

| kind     | calls          | written to packages/registry/src/aten | what is recorded                                   |
| -------- | -------------- | ------------------------------------- | -------------------------------------------------- |
| `metas`  | rows/metas.py  | metas.golden.json                     | shapes and dtypes on meta tensors                  |
| `infer`  | rows/infer     | infer-cases.golden.json               | shapes and dtypes on the CPU, whose kernels check more |
| `values` | rows/values.py | decompositions.golden.json            | values too                                         |

A row is [op, arguments by name, results], and results are "error" where PyTorch refuses the call. A tensor is "dtype:2,3",
with `=[elements]` behind it where they matter; elements 1, 2, 3, … of arguments are left out. A Python float is
{"float": x}, an integer that a double cannot hold "123n".

`--check` leaves out `values`, whose last digits differ from CPU to CPU.
"""

import argparse
import json
import math
import sys

import torch

from generated import ROOT
from rows import infer, metas, values

FOLDER = ROOT / "packages/registry/src/aten"
KINDS = {
    "metas": (metas.CASES, FOLDER / "metas.golden.json"),
    "infer": (infer.CASES, FOLDER / "infer-cases.golden.json"),
    "values": (values.CASES, FOLDER / "decompositions.golden.json"),
}


def name_of(dtype):
    return str(dtype)[6:]


def meta_of(tensor):
    return f"{name_of(tensor.dtype)}:{','.join(map(str, tensor.shape))}"


def elements_of(tensor):
    return [round(x, 6) if isinstance(x, float) else x for x in tensor.flatten().tolist()]


def with_values(tensor):
    return f"{meta_of(tensor)}={json.dumps(elements_of(tensor), separators=(',', ':'))}"


def argument(tensor):
    """An argument whose elements count, which are 1, 2, 3, … unless they are said."""
    counted = torch.arange(1, tensor.numel() + 1).reshape(tensor.shape).to(tensor.dtype)
    return meta_of(tensor) if torch.equal(tensor, counted) else with_values(tensor)


def encode(value, tensor):
    """A value as JSON; `tensor` encodes tensors."""
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, torch.dtype):
        return name_of(value)
    if isinstance(value, float):  # JSON has no infinities
        return {"float": value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, (list, tuple)):
        return [encode(item, tensor) for item in value]
    return f"{value}n" if isinstance(value, int) and abs(value) > 2**53 else value


def row(kind, op, args, options=None):
    name, _, overload = op.partition(".")
    function = getattr(getattr(torch.ops.aten, name), overload or "default")
    schema = function._schema
    given, returned = (argument, with_values) if kind == "values" else (meta_of, meta_of)
    named = {a.name: encode(v, given) for a, v in zip(schema.arguments, args, strict=False)}
    named |= {key: encode(value, given) for key, value in (options or {}).items()}
    on_meta = kind != "values" and options is not None and any(a.name == "device" for a in schema.arguments)
    device = {"device": "meta"} if on_meta else {}
    try:
        results = function(*args, **(options or {}), **device)
    except Exception:
        return [f"aten::{op}", named, "error"]
    return [f"aten::{op}", named, encode(results if len(schema.returns) > 1 else (results,), returned)]


def text(kind):
    torch.manual_seed(0)
    rows = [json.dumps(row(kind, *case), separators=(",", ":"), allow_nan=False) for case in KINDS[kind][0]]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="metas, infer, values; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is not what would be written")
    options = parser.parse_args()
    for kind in options.kinds or KINDS:
        target = KINDS[kind][1]
        if not options.check:
            target.write_text(text(kind), encoding="utf-8", newline="\n")
        elif kind != "values" and target.read_text(encoding="utf-8") != text(kind):
            sys.exit(f"{target.relative_to(ROOT)} is out of date: run scripts/python/op_rows.py {kind}")


if __name__ == "__main__":
    main()
