"""What calls show of memory: which results lie in the storage of which argument."""

from collections import Counter
from typing import Any

import torch
from torch.testing._internal.common_utils import is_iterable_of_tensors


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors of an argument or a result, one level of lists deep."""
    if isinstance(value, torch.Tensor):
        return [value]
    return list(value) if is_iterable_of_tensors(value) else []


def storage(tensor: torch.Tensor) -> int | None:
    """Identity of the memory behind a tensor. None where there is none to share."""
    if tensor.numel() == 0:
        return None
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        # A sparse tensor shares nothing, unless it is itself an argument.
        return id(tensor)


class Observations:
    """Counts, for each result and argument of each overload, calls that shared memory and calls that did not."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.shared: Counter[tuple[str, int, str]] = Counter()
        self.apart: Counter[tuple[str, int, str]] = Counter()
        """Pairs of which items of a list of results lie in items of a list of arguments at another position."""
        self.crossed: Counter[tuple[str, int, str]] = Counter()
        """Overloads of which two results shared memory that no argument has."""
        self.siblings: Counter[str] = Counter()

    def call(self, op: torch._ops.OpOverload, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Calls an operator on arguments as they are, and looks at what came out. Raises what it raises."""
        result = op(*args, **kwargs)
        self.look(op, args, kwargs, result)
        return result

    def look(self, op: torch._ops.OpOverload, args: tuple, kwargs: dict[str, Any], result: Any) -> None:
        schema = op._schema
        name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        names = [argument.name for argument in schema.arguments]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        self.calls[name] += 1
        memories = [{storage(t) for t in tensors(arg)} - {None} for arg in given.values()]
        owned = set[int | None]().union({None}, *memories)
        if sum(map(len, memories)) >= len(owned):
            return  # Arguments that share memory do not tell which of them a result lies in.
        fresh: list[int | None] = []
        # A list is one result.
        results = result if isinstance(result, tuple) else (result,)
        for output, each in enumerate(results):
            made = [storage(t) for t in tensors(each)]
            fresh += [s for s in made if s not in owned]
            if not any(made):
                continue
            for arg_name, arg in given.items():
                held = [storage(t) for t in tensors(arg)]
                if not held:
                    continue
                key = (name, output, arg_name)
                pairs = [(i, k) for i, s in enumerate(made) for k, t in enumerate(held) if s is not None and s == t]
                (self.shared if pairs else self.apart)[key] += 1
                is_list = not isinstance(arg, torch.Tensor)
                if is_list and any(i != k for i, k in pairs if len(set(held)) == len(held)):
                    self.crossed[key] += 1
        if len(set(fresh)) < len(fresh) and not any(isinstance(each, list | tuple) for each in results):
            self.siblings[name] += 1

    def add(self, other: "Observations") -> None:
        for name in ("calls", "shared", "apart", "crossed", "siblings"):
            getattr(self, name).update(getattr(other, name))
