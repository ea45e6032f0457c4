"""One small call of every operator of PyTorch's op database, as a function of its tensors."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

CANDIDATES, MOST_ELEMENTS = 40, 130


def database_calls() -> Iterator[tuple[str, Callable[..., Any], tuple[torch.Tensor, ...]]]:
    for op in op_db:
        if torch.float32 not in op.supported_dtypes("cpu") or "empty" in op.name:
            continue
        torch.manual_seed(0)
        for sample in itertools.islice(op.sample_inputs("cpu", torch.float32, requires_grad=False), CANDIDATES):
            leaves, spec = pytree.tree_flatten((sample.input, tuple(sample.args), sample.kwargs))
            places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
            tensors = tuple(leaves[i].detach().clone() for i in places)
            dense = all(t.layout == torch.strided for t in tensors)
            if not tensors or not dense or tensors[0].numel() == 0 or sum(t.numel() for t in tensors) > MOST_ELEMENTS:
                continue
            name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
            yield name, called(op.op, leaves, places, spec), tensors
            break


def called(op: Callable[..., Any], leaves: list[Any], places: list[int], spec: Any) -> Callable[..., Any]:
    def call(*tensors: torch.Tensor) -> Any:
        filled = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        value, args, kwargs = pytree.tree_unflatten(filled, spec)
        return op(value, *args, **kwargs)

    return call
