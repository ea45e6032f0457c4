"""Writes `tests/fixtures/gradients.json.gz`: gradients of the op cases of `packages/conformance/src/cases`.

For up to three cases of each op whose results are differentiable, autograd in float64 computes the gradient of
`sum(cos(0.7 i + k) * result_k[i])`, over the floating point results k that have a derivative, with respect to each
floating point tensor of the case, in the memory that the case gives it. A row has the positions k, then the gradients. A tensor that no gradient flows to has `null`. What PyTorch has no derivative of is left out.
"""

import base64
import gzip
import json
import os
import re
import sys
from collections import Counter

import torch

from case_files import decode, load_cases

OUT = os.path.join(os.path.dirname(__file__), "../../tests/fixtures/gradients.json.gz")
FAMILIES_LEFT_OUT = {"quantized", "complex", "inplace", "factories", "cast"}
RANDOM = re.compile(r"rand|dropout|bernoulli|multinomial|normal|rrelu|poisson$|binomial|exponential|uniform|gamma$|empty|cauchy|geometric|fractional")
MOST_CASES, MOST_ELEMENTS = 3, 600


def leaf(tensor: dict) -> tuple[torch.Tensor, torch.Tensor]:
    """The memory of a tensor as autograd's leaf, and the tensor as a view of it."""
    dtype = getattr(torch, tensor["dtype"])
    data = bytearray(base64.b64decode(tensor["data"]))
    flat = torch.frombuffer(data, dtype=dtype).clone() if data else torch.empty(0, dtype=dtype)
    if dtype.is_floating_point:
        flat = flat.double().requires_grad_()
    if "strides" in tensor:
        return flat, flat.as_strided(tensor["shape"], tensor["strides"], tensor["offset"])
    return flat, flat.reshape(tensor["shape"])


def gradients(case: dict) -> tuple[list[int], list[str | None]] | None:
    namespace, name, overload = [*re.split(r"::|\.", case["op"]), "default"][:3]
    op = getattr(getattr(getattr(torch.ops, namespace), name), overload)
    pairs = [leaf(tensor) for tensor in case["tensors"]]
    tensors = [view for _, view in pairs]
    results = op(**{key: decode(value, tensors) for key, value in case["args"].items()})
    loss = torch.zeros((), dtype=torch.float64)
    flat, _ = torch.utils._pytree.tree_flatten(results)
    floats = [x for x in flat if isinstance(x, torch.Tensor) and x.is_floating_point()]
    used = [k for k, x in enumerate(floats) if x.requires_grad]
    if not used:
        return None
    for k in used:
        weights = torch.cos(0.7 * torch.arange(floats[k].numel(), dtype=torch.float64) + k)
        loss = loss + (floats[k].reshape(-1) * weights).sum()
    leaves = [memory for memory, _ in pairs if memory.requires_grad]
    found = torch.autograd.grad(loss, leaves, allow_unused=True)
    if all(grad is None for grad in found):
        return None
    if not all(grad is None or grad.isfinite().all() for grad in found):
        return None
    by_leaf = iter(found)
    encode = lambda grad: None if grad is None else base64.b64encode(grad.float().numpy().tobytes()).decode()  # noqa: E731
    return used, [encode(next(by_leaf)) if memory.requires_grad else None for memory, _ in pairs]


def main() -> None:
    torch.set_num_threads(1)
    counts, rows, positions = Counter(), [], Counter()
    for family, case in load_cases():
        index = positions[family]
        positions[family] += 1
        op, tensors = case["op"], case["tensors"]
        if family in FAMILIES_LEFT_OUT or RANDOM.search(op) or counts[op] == MOST_CASES or "mutated" in case:
            continue
        size = sum(len(tensor["data"]) // 6 for tensor in tensors)
        if size > MOST_ELEMENTS or not any(tensor["dtype"] == "float32" for tensor in tensors):
            continue
        if any(tensor["dtype"] in ("float16", "bfloat16", "float64", "complex64", "complex128") for tensor in tensors):
            continue
        if any(result is None for result in case["expected"]):
            continue
        if any(isinstance(result, dict) and result.get("dtype") in ("float16", "bfloat16", "float64") for result in case["expected"]):
            continue
        try:
            found = gradients(case)
        except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
            continue
        if found is not None:
            counts[op] += 1
            rows.append([family, index, op, *found])
    text = json.dumps(rows, separators=(",", ":")).encode()
    if "--check" in sys.argv:
        with gzip.open(OUT) as file:
            if file.read() != text:
                sys.exit("tests/fixtures/gradients.json.gz has other cases or numbers: run this without --check")
        return
    with open(OUT, "wb") as file:
        file.write(gzip.compress(text, mtime=0))
    print(len(rows), "cases of", len(counts), "ops,", os.path.getsize(OUT), "bytes")


if __name__ == "__main__":
    main()
