"""The calls that PyTorch's own op database says are refused, as cases: `error_inputs.py`.

Writes `packages/conformance/src/refusals/errors.json`. Kept is what one operator of the dispatcher refuses: the overload is
the first whose schema takes the arguments. What only the Python function checks, and what needs another device, is left out.
"""

import json
import sys
import warnings
import zlib
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo

from goldens import encode
from refusals import TARGET, UNIMPLEMENTED, in_processes

# Of results it only matters that there are some, of a shape that no argument has.
TENSOR = {"dtype": "float32", "shape": [9, 9, 9]}
# What says that arguments are not those of this overload, and what the project does not hold.
OTHER = ("Expected a value of type", "Expected at most", "Unknown keyword", "missing value for argument", "incompatible function")
ELEMENTS = 4096


def returned(kind: str) -> Any:
    if kind == "Tensor":
        return TENSOR
    if kind == "List[Tensor]":
        return [TENSOR]
    return {"bool": False, "float": {"float": 0.0}}.get(kind, 0)


def bound(op: torch._ops.OpOverload, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any] | None:
    """Arguments by name; None where they are more than the schema has."""
    positional = [a.name for a in op._schema.arguments if not a.kwarg_only]
    names = {a.name for a in op._schema.arguments}
    if len(values) > len(positional) or not set(named) <= names:
        return None
    return {**dict(zip(positional, values, strict=False)), **named}


def refused(packet: Any, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any] | None:
    for name in packet.overloads():
        op = getattr(packet, name)
        args = bound(op, values, named)
        if args is None or "out" in args or any(a.name == "out" or a.is_out for a in op._schema.arguments):
            continue
        try:
            with torch.no_grad():
                op(**args)
            return None
        except Exception as problem:
            text = str(problem)
            if any(part in text for part in OTHER):
                continue
            if UNIMPLEMENTED.search(text) or "allocate" in text or isinstance(problem, TypeError):
                return None
        tensors: list[dict[str, Any]] = []
        given = {key: encode(value, tensors, {}) for key, value in args.items()}
        if any(len(t["data"]) > ELEMENTS for t in tensors):
            return None
        expected = [returned(str(r.real_type)) for r in op._schema.returns]
        return {"op": op.name().removesuffix(".default"), "args": given, "tensors": tensors, "expected": expected}
    return None


def of_op(op: OpInfo) -> list[dict[str, Any]]:
    packet = getattr(torch.ops.aten, op.aten_name or op.name, None)
    if packet is None or op.error_inputs_func is None:
        return []
    torch.manual_seed(zlib.crc32(op.name.encode()))
    found = []
    for error in op.error_inputs("cpu"):
        sample = error.sample_input
        leaves = torch.utils._pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
        if any(isinstance(x, torch.Tensor) and (x.layout != torch.strided or x.device.type != "cpu") for x in leaves):
            continue
        try:
            case = refused(packet, (sample.input, *sample.args), dict(sample.kwargs))
        except (KeyError, NotImplementedError, RuntimeError):
            continue
        if case is not None and case not in found:
            found.append(case)
    return found


def main() -> int:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    cases: dict[str, dict[str, Any]] = {}
    for _, found in in_processes(op_db, of_op):
        for case in found if isinstance(found, list) else []:
            key = json.dumps({**case, "tensors": [(t["dtype"], t["shape"], t.get("strides")) for t in case["tensors"]]})
            cases.setdefault(key, case)
    counts: dict[str, int] = {}
    lines = []
    for case in cases.values():
        counts[case["op"]] = counts.get(case["op"], 0) + 1
        lines.append(json.dumps({"name": f"error {counts[case['op']]}", **case}, separators=(",", ":"), allow_nan=False))
    head = json.dumps({"torch": torch.__version__.split("+")[0]})[:-1]
    (TARGET / "errors.json").write_text(head + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n")
    print(len(lines), "calls of", len(counts), "ops")
    return 0


if __name__ == "__main__":
    sys.exit(main())
