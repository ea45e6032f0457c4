"""Writes samples of PyTorch's own op database as programs: `opinfo.py OUT [--dtypes …] [--ops …] [--max-samples N]`.

Per op and dtype: OP.DTYPE.N.pt2 for sample N, OP.DTYPE.safetensors with `N.in.K` and `N.out.K` (what eager PyTorch takes
and gives), and OP.DTYPE.json with the state of every sample. A program's inputs are the sample's tensors; everything
else is part of it. `scripts/opinfo.ts` runs them.
"""

import argparse
import itertools
import json
import math
import os
import signal
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils import _pytree as pytree

from pt2files import graphs, make_portable
from tensor_files import NAMES, save_tensors

MAX_CANDIDATES, SECONDS = 400, 30
UNINITIALISED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_"}


# One sample of each is kept in tests/fixtures/opinfo/samples, written with `--seeds`.
SEEDS = {
    "float32": """
addcmul amax argmax bucketize cholesky diag_embed einsum fft_irfft fft_rfft2 gradient igamma linalg_lu_factor linalg_solve
linalg_svdvals linspace logsumexp masked_scatter matmul nanmedian nn_functional_avg_pool2d nn_functional_conv2d
nn_functional_cross_entropy nn_functional_gelu nn_functional_grid_sample nn_functional_group_norm
nn_functional_interpolate_bilinear nn_functional_pad_reflect polar quantile scatter_reduce_amax searchsorted special_bessel_j1
stft tensor_split unfold view_as_complex where
""",
    "int64": "addmm bincount cat clamp cumsum flip gcd index_put nonzero repeat_interleave unique",
}
SEED_ELEMENTS = 300


class Call(torch.nn.Module):
    """One sample: its tensors are the arguments of `forward`, the rest is baked in."""

    def __init__(self, op: OpInfo, sample: SampleInput):
        super().__init__()
        self.op = op
        leaves, self.spec = pytree.tree_flatten((sample.input, tuple(sample.args), sample.kwargs))
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.inputs = tuple(leaves[i].detach() for i in self.places)

    def forward(self, *tensors: torch.Tensor) -> tuple[Any, ...]:
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors, strict=True):
            leaves[place] = tensor
        value, args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        # A flat tuple: named ones of PyTorch cannot be saved.
        return tuple(pytree.tree_leaves(self.op.op(value, *args, **kwargs)))

    def eager(self) -> list[Any]:
        return [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in self(*(t.clone() for t in self.inputs))]


def calls(op: OpInfo, dtype: torch.dtype, most: int, elements: int) -> list[Call]:
    """At most `most` samples, spread over all that are small and differ in more than values."""
    found: dict[str, Call] = {}
    for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), MAX_CANDIDATES):
        call = Call(op, sample)
        if sum(t.numel() for t in call.inputs) <= elements:
            found.setdefault(repr(([t.shape for t in call.inputs], call.leaves)), call)
    every = list(found.values())
    picked = {round((i + 0.5) * len(every) / most - 0.5) for i in range(most)} if len(every) > most else range(len(every))
    return [every[i] for i in sorted(picked)]


def is_random(program: torch.export.ExportedProgram) -> bool:
    """Whether an operator of the program draws numbers. (The database's own wrappers fix the seed.)"""
    targets = [node.target for graph in graphs(program) for node in graph.nodes]
    return any(torch.Tag.nondeterministic_seeded in getattr(target, "tags", ()) for target in targets)


def expire(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def portable(value: Any) -> Any:
    """Infinities and NaN as text, which JSON lacks."""
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def write(folder: str, stem: str, index: int, call: Call, dialect: str, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    """Exports one sample and returns what the index says of it."""
    with torch.no_grad():
        results = call.eager()
        program = torch.export.export(call, call.inputs, strict=False)
        if dialect == "aten":
            program = program.run_decompositions()
    used = [t for t in (*call.inputs, *results) if isinstance(t, torch.Tensor)]
    if odd := next((t.dtype for t in used if t.dtype not in NAMES), None):
        return {"state": "skipped", "why": f"{odd} has no place in the files"}
    program._example_inputs = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(make_portable(program), os.path.join(folder, f"{stem}.{index}.pt2"))
    tensors |= {f"{index}.in.{k}": t for k, t in enumerate(call.inputs)}
    tensors |= {f"{index}.out.{k}": t for k, t in enumerate(results) if isinstance(t, torch.Tensor)}
    return {
        "state": "exported",
        "stochastic": is_random(program) or call.op.name in UNINITIALISED,
        "inputs": len(call.inputs),
        "outputs": ["tensor" if isinstance(r, torch.Tensor) else portable(r) for r in results],
    }


def samples(folder: str, op: OpInfo, dtype: torch.dtype, options: argparse.Namespace) -> Iterator[str]:
    """Writes one op for one dtype; yields the state of each sample."""
    stem = f"{op.formatted_name}.{str(dtype)[6:]}"
    if os.path.exists(os.path.join(folder, f"{stem}.json")) and not options.again:
        return
    tensors: dict[str, torch.Tensor] = {}
    states = []
    torch.manual_seed(0)
    for index, call in enumerate(calls(op, dtype, options.max_samples, options.max_elements)):
        signal.alarm(SECONDS)
        try:
            state = write(folder, stem, index, call, options.dialect, tensors)
        except Exception as problem:
            state = {"state": "skipped", "why": f"{type(problem).__name__}: {problem}"[:300]}
        finally:
            signal.alarm(0)
        states.append(state)
        yield state["state"]
    save_tensors(os.path.join(folder, f"{stem}.safetensors"), tensors)
    with open(os.path.join(folder, f"{stem}.json"), "w") as file:
        json.dump({"op": op.formatted_name, "dtype": str(dtype)[6:], "samples": states}, file, default=str)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--dtypes", nargs="+", default=["float32", "int64", "bool"])
    parser.add_argument("--ops", nargs="+", help="formatted names: `name` or `name_variant`; default all")
    parser.add_argument("--max-samples", type=int, default=6)
    parser.add_argument("--max-elements", type=int, default=20_000, help="in the tensors of a sample")
    parser.add_argument("--dialect", choices=["training", "aten"], default="training")
    parser.add_argument("--seeds", action="store_true", help="one sample of each op of the test suite's selection")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    options = parser.parse_args()
    if options.seeds:
        options.dtypes, options.max_samples, options.max_elements = list(SEEDS), 1, SEED_ELEMENTS
    os.makedirs(options.out, exist_ok=True)
    signal.signal(signal.SIGALRM, expire)
    for name, op in itertools.product(options.dtypes, op_db):
        dtype = getattr(torch, name)
        chosen = SEEDS[name].split() if options.seeds else options.ops
        if dtype not in op.supported_dtypes("cpu") or (chosen and op.formatted_name not in chosen):
            continue
        try:
            print(name, op.formatted_name, *samples(options.out, op, dtype, options), flush=True)
        except Exception as problem:
            print(name, op.formatted_name, f"no samples: {problem}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
