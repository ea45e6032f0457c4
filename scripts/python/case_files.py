"""Reads the op cases of `packages/conformance/src/cases` back: JSON → the arguments of a call in PyTorch."""

import base64
import json
from typing import Any

import torch

from goldens import OUT


def load_cases() -> list[tuple[str, dict[str, Any]]]:
    """Every case with the name of its family."""
    return [(path.stem, case) for path in sorted(OUT.glob("*.json")) for case in json.loads(path.read_text())["cases"]]


def decode_tensor(tensor: dict[str, Any]) -> torch.Tensor:
    """A tensor of a case, in memory of its own and with the strides that it has there."""
    dtype = getattr(torch, tensor["dtype"])
    data = bytearray(base64.b64decode(tensor["data"]))
    flat = torch.frombuffer(data, dtype=dtype).clone() if data else torch.empty(0, dtype=dtype)
    if "strides" in tensor:
        return flat.as_strided(tensor["shape"], tensor["strides"], tensor["offset"])
    return flat.reshape(tensor["shape"])


def decode(arg: Any, tensors: list[torch.Tensor]) -> Any:
    """An argument of a case, given its tensors."""
    if isinstance(arg, list):
        return [decode(item, tensors) for item in arg]
    if not isinstance(arg, dict):
        return arg
    [(kind, value)] = arg.items()
    if kind == "tensor":
        return tensors[value]
    readers = {
        "float": float,
        "int": int,
        "complex": lambda pair: complex(*pair),
        "device": torch.device,
        "dtype": lambda name: getattr(torch, name),
        "layout": lambda name: getattr(torch, name),
        "memory_format": lambda name: getattr(torch, name),
    }
    return readers[kind](value)
