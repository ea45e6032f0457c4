"""Runs the op cases of `cases/` in PyTorch and writes them with their answers: `python goldens.py [FAMILY ...] [--check]`.

`--check` runs nothing: it compares the hash of each family's source with the one its JSON was made from.
"""

import argparse
import base64
import hashlib
import importlib
import json
import math
import pathlib
import sys
from typing import Any

import torch

from opcase import Case, name_of, take_cases
from tensor_files import raw_bytes

HERE = pathlib.Path(__file__).parent
OUT = HERE / "../../packages/conformance/src/cases"
SOURCES = ("goldens.py", "opcase.py")


def source_hash(family: str) -> str:
    """What a family's JSON depends on, besides the version of PyTorch."""
    digest = hashlib.sha256()
    for source in (*SOURCES, f"cases/{family}.py"):
        digest.update((HERE / source).read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]


def encode_tensor(tensor: torch.Tensor, keep_strides: bool, meta_only: bool = False) -> dict[str, Any]:
    """The whole storage span when the strides are kept and odd, else the elements in row-major order."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    result: dict[str, Any] = {"dtype": name_of(tensor.dtype), "shape": list(tensor.shape)}
    if meta_only:
        return result
    if keep_strides and tensor.numel() and not tensor.is_contiguous():
        first = tensor.storage_offset()
        last = first + sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride(), strict=True))
        flat = tensor.as_strided((last + 1,), (1,), 0)
        return {**result, "strides": list(tensor.stride()), "offset": first, "data": base64.b64encode(raw_bytes(flat)).decode()}
    return {**result, "data": base64.b64encode(raw_bytes(tensor)).decode()}


def encode_number(value: int | float) -> Any:
    """Integers as themselves (as a string from 2^53 on); floats tagged, since JSON cannot tell 2.0 from 2."""
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"int": str(value)}
    if math.isfinite(value):
        return {"float": value}
    return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}


def encode(value: Any, tensors: list[dict[str, Any]], seen: dict[int, int]) -> Any:
    """An argument; its tensors are appended to `tensors`, a tensor given twice only once."""
    if isinstance(value, torch.Tensor):
        if id(value) not in seen:
            seen[id(value)] = len(tensors)
            tensors.append(encode_tensor(value, keep_strides=True))
        return {"tensor": seen[id(value)]}
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, (int, float)):
        return encode_number(value)
    if isinstance(value, (list, tuple)):
        return [encode(v, tensors, seen) for v in value]
    tags = {torch.dtype: "dtype", torch.device: "device", torch.memory_format: "memory_format", torch.layout: "layout"}
    return {tags[type(value)]: str(value).removeprefix("torch.")}


def encode_result(value: Any, meta_only: bool) -> Any:
    """A schema return: a tensor, a list of tensors, a number, or null for an undefined tensor, which is not compared."""
    if isinstance(value, torch.Tensor):
        return encode_tensor(value, keep_strides=False, meta_only=meta_only)
    if isinstance(value, (list, tuple)):
        return [encode_result(v, meta_only) for v in value]
    return value if value is None or isinstance(value, bool) else encode_number(value)


def overload(op: str) -> torch._ops.OpOverload:
    namespace, _, rest = op.partition("::")
    name, _, variant = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), name), variant or "default")


def run(case: Case) -> dict[str, Any]:
    """Calls the op and returns the case as JSON, its answers included."""
    op = overload(case.op)
    schema = op._schema
    bound = {**dict(zip((a.name for a in schema.arguments), case.args, strict=False)), **case.kwargs}
    tensors: list[dict[str, Any]] = []
    seen: dict[int, int] = {}
    args = {name: encode(value, tensors, seen) for name, value in bound.items()}
    with torch.no_grad():
        result = op(*case.args, **case.kwargs)
    returns = [] if not schema.returns else [result] if len(schema.returns) == 1 else list(result)
    writes = [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write and bound.get(a.name) is not None]
    written = {name: encode_tensor(bound[name], keep_strides=False, meta_only=case.meta_only) for name in writes}
    expected = [None if i in case.ignore else encode_result(r, case.meta_only) for i, r in enumerate(returns)]
    extra = {"rtol": case.rtol, "atol": case.atol, "why": case.why, "mutated": written or None}
    return {
        "op": case.op,
        "name": case.name,
        "args": args,
        "tensors": tensors,
        "expected": expected,
        **{k: x for k, x in extra.items() if x is not None},
    }


def generate(family: str) -> int:
    """Writes the JSON of one family, one case a line, and returns how many cases failed."""
    importlib.import_module(f"cases.{family}")
    lines, failed = [], 0
    for case in take_cases():
        torch.manual_seed(0)
        try:
            lines.append(json.dumps(run(case), separators=(",", ":"), allow_nan=False))
        except Exception as error:  # all the mistakes of a family at once
            failed += 1
            print(f"{family}: {case.op} '{case.name}': {str(error).splitlines()[0][:200]}", file=sys.stderr)
    head = {"family": family, "torch": torch.__version__.split("+")[0], "source": source_hash(family)}
    body = json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n"
    (OUT / f"{family}.json").write_text(body)
    print(f"{family:16} {len(lines):5} cases {len(body) / 1024:8.1f} kB")
    return failed


def main() -> int:
    families = sorted(p.stem for p in (HERE / "cases").glob("*.py") if p.stem != "__init__")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=families, metavar="FAMILY")
    parser.add_argument("--check", action="store_true", help="only say which JSON is older than its source")
    options = parser.parse_args()
    if options.check:
        stale = [
            f
            for f in options.families
            if not (OUT / f"{f}.json").exists() or f'"source":"{source_hash(f)}"' not in (OUT / f"{f}.json").open().readline()
        ]
        print(f"stale, run goldens.py: {' '.join(stale)}" if stale else "goldens are up to date")
        return 1 if stale else 0
    OUT.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    return 1 if sum([generate(f) for f in options.families]) else 0


if __name__ == "__main__":
    sys.exit(main())
