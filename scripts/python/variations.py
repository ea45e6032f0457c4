"""Calls that differ in one thing from an op case: what can be varied, and how. `vary-case.ts` does the same to the JSON.

A variation is a list: `["element", tensor, position, "value"]` sets one element; `["tensor", tensor, how]` changes a tensor as
`TENSORS` says, or to ones of a dtype; `["arg", name, value]` gives another argument and `["item", name, position, value]` another
item of a list; `["short", name]` and `["long", name]` take the last item of a list away or repeat it.
"""

from collections.abc import Iterator
from typing import Any

import torch

from case_files import decode, decode_tensor

Variation = list[Any]

TENSORS = {
    "unsqueezed": lambda x: x.unsqueeze(0),
    "first": lambda x: x[0] if x.dim() and x.shape[0] else None,
    "flat": lambda x: x.reshape(-1) if x.dim() != 1 else None,
    "taller": lambda x: torch.cat([x, x], 0) if x.dim() else None,
    "wider": lambda x: torch.cat([x, x], -1) if x.dim() > 1 else None,
    "empty": lambda x: x.new_empty((0,)),
}
DTYPES = ["float32", "float64", "int64", "int32", "bool", "complex64"]
INTS = [-1, -2, -100, 0, 3, 4, 7, 100]
FLOATS = [{"float": x} for x in (-1.0, 0.0, 0.5, 2.0, "NaN", "Infinity")]
TEXTS = ["", "none", "sum", "floor"]
# What lies beyond every tensor, and beyond 32 bits too: 2^32 is 0 in its lower half.
FAR = [1000, 2**31, -(2**31) - 1, 2**32, -(2**32), 2**53 + 1, 2**63 - 1, -(2**63)]


def values_for(kind: str, current: Any) -> list[Any]:
    """Other values for an argument of a schema type."""
    if kind in ("int", "SymInt"):
        return INTS
    if kind == "float":
        return FLOATS
    if kind in ("number", "Scalar"):
        return [*FLOATS, -1, 0, 3, True, {"complex": [1, 1]}]
    if kind == "str":
        return TEXTS
    if kind == "bool":
        return [not current]
    if kind == "ScalarType":
        return [{"dtype": name} for name in DTYPES]
    return []


def type_of(argument: torch._C.Argument) -> str:
    """`int`, `number`, `List[int]`: the type of a value that is not None."""
    text = str(argument.real_type)
    return text.removeprefix("Optional[").removesuffix("]") if text.startswith("Optional[") else text


def argument_variations(case: dict[str, Any], schema: torch._C.FunctionSchema) -> Iterator[Variation]:
    """Other numbers, texts and lengths for every argument, and other shapes and dtypes for every tensor."""
    for argument in schema.arguments:
        name, kind = argument.name, type_of(argument)
        current = case["args"].get(name, argument.default_value)
        if kind.startswith("List["):
            if name in case["args"] and isinstance(current, list) and current:
                yield from (["short", name], ["long", name])
                for at in sorted({0, len(current) - 1}):
                    yield from (["item", name, at, value] for value in values_for(kind[5:-1], current[at]) if value != current[at])
            continue
        yield from (["arg", name, value] for value in values_for(kind, current) if repr(value) != repr(current))
        if type_of(argument) != str(argument.real_type) and current is not None:
            yield ["arg", name, None]
    for index, tensor in enumerate(case["tensors"]):
        yield from (["tensor", index, how] for how in TENSORS)
        yield from (["tensor", index, dtype] for dtype in DTYPES if dtype != tensor["dtype"])


def index_variations(case: dict[str, Any]) -> Iterator[Variation]:
    """Other values for an element of every tensor of integers: near the sizes that occur in the case, and far away."""
    sizes = {size for tensor in case["tensors"] for size in tensor["shape"]}
    sizes |= {x for arg in case["args"].values() for x in (arg if isinstance(arg, list) else [arg]) if type(x) is int and 0 < x < 100}
    near = {x for size in sizes for x in (size, size + 1, -size, -size - 1)} | {-1, -2, 0}
    for index, tensor in enumerate(case["tensors"]):
        info = {"int64": torch.int64, "int32": torch.int32}.get(tensor["dtype"])
        count = decode_tensor(tensor).numel()
        if info is None or count == 0:
            continue
        limits = torch.iinfo(info)
        for value in [*sorted(near), *FAR]:
            if limits.min <= value <= limits.max:
                yield ["element", index, count - 1, str(value)]


def varied(case: dict[str, Any], variation: Variation) -> dict[str, Any] | None:
    """The arguments of the call that differs, by name; None where the variation makes no sense."""
    tensors = [decode_tensor(tensor) for tensor in case["tensors"]]
    args = dict(case["args"])
    match variation:
        case ["element", index, at, value]:
            dense = tensors[index].contiguous().clone()
            dense.reshape(-1)[at] = int(value)
            tensors[index] = dense
        case ["tensor", index, how] if how in TENSORS:
            changed = TENSORS[how](tensors[index].contiguous())
            if changed is None:
                return None
            tensors[index] = changed.clone()
        case ["tensor", index, dtype]:
            tensors[index] = torch.ones(tensors[index].shape, dtype=getattr(torch, dtype))
        case ["arg", name, value]:
            args[name] = value
        case ["item", name, at, value]:
            args[name] = [*args[name][:at], value, *args[name][at + 1 :]] if name in args else None
        case ["short", name]:
            args[name] = args[name][:-1] if name in args else None
        case ["long", name]:
            args[name] = [*args[name], args[name][-1]] if name in args else None
    if variation[0] in ("item", "short", "long") and args[variation[1]] is None:
        return None
    return {name: decode(value, tensors) for name, value in args.items()}
