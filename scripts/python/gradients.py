"""Writes `tests/fixtures/gradients.json.gz`: gradients of the op cases of `packages/conformance/src/cases`.

For up to three cases of each op whose results are differentiable, autograd in float64 computes the gradient of
`sum(cos(0.7 i + k) * result_k[i])`, over the floating point results k that have a derivative, with respect to each
floating point tensor of the case, in the memory that the case gives it. Complex numbers count as pairs of real ones: the
elements of a complex result are its real and imaginary parts, in turn, and so are those of a gradient. A row has the positions
k, then the gradients. A tensor that no gradient flows to has `null`. Left out is what PyTorch has no derivative of, and what in
float32 has another one, next to poles of complex functions.
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
FAMILIES_LEFT_OUT = {"quantized", "inplace", "factories", "cast"}
RANDOM = re.compile(r"rand|dropout|bernoulli|multinomial|normal|rrelu|poisson$|binomial|exponential|uniform|gamma$|empty|cauchy|geometric|fractional")
MOST_CASES, MOST_ELEMENTS = 3, 600


Gradients = list[torch.Tensor | None]


def leaf(tensor: dict, is_double: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """The memory of a tensor as autograd's leaf, and the tensor as a view of it."""
    dtype = getattr(torch, tensor["dtype"])
    data = bytearray(base64.b64decode(tensor["data"]))
    flat = torch.frombuffer(data, dtype=dtype).clone() if data else torch.empty(0, dtype=dtype)
    if dtype.is_floating_point or dtype.is_complex:
        wide = torch.complex128 if dtype.is_complex else torch.float64
        flat = (flat.to(wide) if is_double else flat).requires_grad_()
    if "strides" in tensor:
        return flat, flat.as_strided(tensor["shape"], tensor["strides"], tensor["offset"])
    return flat, flat.reshape(tensor["shape"])


def has_parts(x: object) -> bool:
    """Whether gradients flow to it."""
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


def real(x: torch.Tensor) -> torch.Tensor:
    """The numbers of a tensor as real ones."""
    return (torch.view_as_real(x.resolve_conj()) if x.is_complex() else x).reshape(-1)


def gradients(case: dict, is_double: bool = True) -> tuple[list[int], Gradients] | None:
    """The positions of differentiable results, and the gradient of each tensor of the case."""
    namespace, name, overload = [*re.split(r"::|\.", case["op"]), "default"][:3]
    op = getattr(getattr(getattr(torch.ops, namespace), name), overload)
    pairs = [leaf(tensor, is_double) for tensor in case["tensors"]]
    tensors = [view for _, view in pairs]
    results = op(**{key: decode(value, tensors) for key, value in case["args"].items()})
    loss = torch.zeros((), dtype=torch.float64)
    flat, _ = torch.utils._pytree.tree_flatten(results)
    floats = [x for x in flat if has_parts(x)]
    used = [k for k, x in enumerate(floats) if x.requires_grad]
    if not used:
        return None
    for k in used:
        numbers = real(floats[k])
        weights = torch.cos(0.7 * torch.arange(numbers.numel(), dtype=torch.float64) + k)
        loss = loss + (numbers * weights).sum()
    leaves = [memory for memory, _ in pairs if memory.requires_grad]
    found = torch.autograd.grad(loss, leaves, allow_unused=True)
    if all(grad is None for grad in found):
        return None
    by_leaf = iter(found)
    made = [next(by_leaf) if memory.requires_grad else None for memory, _ in pairs]
    return used, [None if grad is None else real(grad) for grad in made]


def is_usual(case: dict, right: Gradients) -> bool:
    """Whether the gradients are finite in float32, and those of complex numbers the same as in float64."""
    if not all(grad is None or grad.float().isfinite().all() for grad in right):
        return False
    if not any(tensor["dtype"] == "complex64" for tensor in case["tensors"]):
        return True
    _, single = gradients(case, is_double=False)
    pairs = [(x, y) for x, y in zip(single, right, strict=True) if y is not None and y.numel() > 0]
    return all(bool(((x - y).abs().max() / y.abs().max().clamp_min(1e-3)) < 5e-5) for x, y in pairs)


def encoded(grad: torch.Tensor | None) -> str | None:
    return None if grad is None else base64.b64encode(grad.float().numpy().tobytes()).decode()


def main() -> None:
    torch.set_num_threads(1)
    counts, rows, positions = Counter(), [], Counter()
    for family, case in load_cases():
        index = positions[family]
        positions[family] += 1
        op, tensors = case["op"], case["tensors"]
        dtypes = {tensor["dtype"] for tensor in tensors}
        kind = (op, "complex64" in dtypes)
        if family in FAMILIES_LEFT_OUT or RANDOM.search(op) or counts[kind] == MOST_CASES or "mutated" in case:
            continue
        size = sum(len(tensor["data"]) // 6 for tensor in tensors)
        if size > MOST_ELEMENTS or not dtypes & {"float32", "complex64"}:
            continue
        if dtypes & {"float16", "bfloat16", "float64", "complex32", "complex128"}:
            continue
        if any(result is None for result in case["expected"]):
            continue
        if any(
            isinstance(result, dict) and result.get("dtype") in ("float16", "bfloat16", "float64", "complex32", "complex128")
            for result in case["expected"]
        ):
            continue
        try:
            found = gradients(case)
        except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
            continue
        if found is not None and is_usual(case, found[1]):
            counts[kind] += 1
            rows.append([family, index, op, found[0], [encoded(grad) for grad in found[1]]])
    text = json.dumps(rows, separators=(",", ":")).encode()
    if "--check" in sys.argv:
        with gzip.open(OUT) as file:
            if file.read() != text:
                sys.exit("tests/fixtures/gradients.json.gz has other cases or numbers: run this without --check")
        return
    with open(OUT, "wb") as file:
        file.write(gzip.compress(text, mtime=0))
    print(len(rows), "cases of", len({op for op, _ in counts}), "ops,", os.path.getsize(OUT), "bytes")


if __name__ == "__main__":
    main()
