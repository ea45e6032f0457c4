"""Writes samples of PyTorch's own op database as programs: `opinfo.py OUT [--dtypes …] [--ops …] [--max-samples N]`.

Per op and dtype: OP.DTYPE.N.pt2 for sample N, OP.DTYPE.safetensors with `N.in.K` and `N.out.K` (what the program takes and
gives in PyTorch, on one thread), and OP.DTYPE.json with the state of every sample. A program's inputs are the sample's
tensors, dense; everything else is part of it. `tests/src/op-samples/run-op-samples.ts` runs them.

Programs of one file are compared with eager PyTorch here, and only those are kept that give its results. `values` says how
far those of another implementation can be compared with them: `exact`, the same bits in two runs; `seeded`, the same
bits in two runs that follow `torch.manual_seed(42)`; `close`, not the same; `none`, of uninitialized memory.
"""

import argparse
import itertools
import json
import math
import os
import random
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils import _pytree as pytree

from pt2files import graphs, make_portable
from tensor_files import raw_bytes, save_tensors

# Some of the database's own wrappers fix this seed while they call the op.
MAX_CANDIDATES, SECONDS, SEED = 400, 30, 42
UNINITIALIZED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_"}

# What safetensors has no dtype for: stored as pairs of real numbers.
PAIRS = {torch.complex32: "complex32", torch.complex128: "complex128"}
SPARSE = "sparse tensors are not recorded"

# One sample of each is kept in tests/fixtures/opinfo/samples, written with `--seeds`.
SEEDS = {
    "float32": """
addcmul amax argmax bucketize cholesky diag_embed einsum fft_irfft fft_rfft2 gradient igamma linalg_lu_factor linalg_solve
linalg_svdvals linspace logsumexp masked_scatter matmul nanmedian nn_functional_avg_pool2d nn_functional_conv2d
nn_functional_cross_entropy nn_functional_dropout nn_functional_gelu nn_functional_grid_sample nn_functional_group_norm
nn_functional_interpolate_bilinear nn_functional_linear_cross_entropy_chunked
nn_functional_linear_cross_entropy_chunked_none nn_functional_pad_reflect polar quantile scatter_reduce_amax searchsorted special_bessel_j1
stft tensor_split unfold view_as_complex where
""",
    "int64": "addmm bincount cat clamp cumsum flip gcd index_put nonzero repeat_interleave unique",
    "bool": "all logical_xor masked_fill",
    "complex64": "add fft_fft mul view_as_real",
}
SEED_ELEMENTS = 300


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor as files hold it."""
    return tensor.resolve_conj().resolve_neg().contiguous() if tensor.layout == torch.strided else tensor


def any_sparse(values: Iterable[Any]) -> bool:
    return any(isinstance(t, torch.Tensor) and t.layout != torch.strided for t in values)


class Call(torch.nn.Module):
    """One sample: its tensors are the arguments of `forward`, or the first of them and the others are weights; the rest is
    baked in."""

    def __init__(self, op: OpInfo, sample: SampleInput, weights: bool):
        super().__init__()
        self.op = op
        leaves, self.spec = pytree.tree_flatten((sample.input, tuple(sample.args), sample.kwargs))
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        tensors = tuple(dense(leaves[i].detach()) for i in self.places)
        self.inputs = tensors[:1] if weights else tensors
        for k, tensor in enumerate(tensors[len(self.inputs) :]):
            self.register_buffer(f"weight{k}", tensor)

    def weights(self) -> list[torch.Tensor]:
        return [tensor for _, tensor in self.named_buffers(remove_duplicate=False)]

    def forward(self, *inputs: torch.Tensor) -> tuple[Any, ...]:
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, (*inputs, *self.weights()), strict=True):
            leaves[place] = tensor
        value, args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        # A flat tuple: named ones of PyTorch cannot be saved.
        return tuple(pytree.tree_leaves(self.op.op(value, *args, **kwargs)))

    def results(self, function: Callable[..., Any]) -> list[Any]:
        """What the op, or a program of it, gives for the inputs. Weights that it writes are restored."""
        torch.manual_seed(SEED)
        saved = [t.clone() for t in self.weights()]
        leaves = pytree.tree_leaves(function(*(t.clone() for t in self.inputs)))
        for tensor, before in zip(self.weights(), saved, strict=True):
            tensor.copy_(before)
        return [dense(leaf).clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


def calls(op: OpInfo, dtype: torch.dtype, options: argparse.Namespace) -> list[Call]:
    """At most `--max-samples` samples that are small and differ in more than values, spread over all of them or drawn."""
    found: dict[str, Call] = {}
    most = options.max_samples
    for sample in itertools.islice(op.sample_inputs(options.device, dtype, requires_grad=False), MAX_CANDIDATES):
        call = Call(op, sample, options.weights)
        tensors = (*call.inputs, *call.weights())
        if sum(t.numel() for t in tensors) <= options.max_elements and (len(tensors) > 1 or not options.weights):
            found.setdefault(repr(([t.shape for t in tensors], call.leaves)), call)
    every = list(found.values())
    if len(every) <= most:
        return every
    spread = (round((i + 0.5) * len(every) / most - 0.5) for i in range(most))
    return [every[i] for i in sorted(random.Random(options.seed).sample(range(len(every)), most) if options.seed else spread)]


def is_random(program: torch.export.ExportedProgram) -> bool:
    """Whether an operator of the program draws numbers."""
    targets = [node.target for graph in graphs(program) for node in graph.nodes]
    return any(torch.Tag.nondeterministic_seeded in getattr(target, "tags", ()) for target in targets)


def same_bits(some: list[Any], others: list[Any]) -> bool:
    def bits(leaf: Any) -> Any:
        return (leaf.dtype, leaf.shape, raw_bytes(leaf)) if isinstance(leaf, torch.Tensor) else repr(leaf)

    return [bits(leaf) for leaf in some] == [bits(leaf) for leaf in others]


def values_of(call: Call, program: torch.export.ExportedProgram) -> tuple[str, bool, list[Any]]:
    """How far results can be compared, whether they are eager PyTorch's bits, and the results."""
    run, eager = program.module(), call.results(call)
    try:
        results = call.results(run)
    except Exception as problem:
        raise RuntimeError(f"PyTorch cannot run the program: {problem}") from problem
    if call.op.name in UNINITIALIZED:
        return "none", True, results
    as_eager = same_bits(results, eager)
    if not as_eager:
        torch.testing.assert_close(results, eager, rtol=1e-3, atol=1e-4, equal_nan=True)
    if not same_bits(results, call.results(run)):
        return "close", False, results
    return "seeded" if is_random(program) else "exact", as_eager, results


def expire(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def portable(value: Any) -> Any:
    """Infinities and NaN as text, which JSON lacks."""
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def write(folder: str, stem: str, index: int, call: Call, dialect: str, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    """Exports one sample and returns what the index says of it."""
    with torch.no_grad():
        if any_sparse((*call.inputs, *call.weights(), *call.results(call))):
            return {"state": "skipped", "why": SPARSE}
        program = torch.export.export(call, call.inputs, strict=False)
        if dialect == "aten":
            program = program.run_decompositions()
        values, as_eager, results = values_of(call, program)
    outputs = {k: t for k, t in enumerate(results) if isinstance(t, torch.Tensor)}
    program._example_inputs = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(make_portable(program), os.path.join(folder, f"{stem}.{index}.pt2"))
    tensors |= {f"{index}.in.{k}": t for k, t in enumerate(call.inputs)}
    tensors |= {f"{index}.out.{k}": torch.view_as_real(t) if t.dtype in PAIRS else t for k, t in outputs.items()}
    return {
        "state": "exported",
        "values": values,
        "eager": as_eager,
        "inputs": len(call.inputs),
        "outputs": [PAIRS.get(r.dtype, "tensor") if isinstance(r, torch.Tensor) else portable(r) for r in results],
    }


def samples(folder: str, op: OpInfo, dtype: torch.dtype, options: argparse.Namespace) -> Iterator[str]:
    """Writes one op for one dtype; yields the state of each sample."""
    stem = f"{op.formatted_name}.{str(dtype)[6:]}"
    if os.path.exists(os.path.join(folder, f"{stem}.json")) and not options.again:
        return
    tensors: dict[str, torch.Tensor] = {}
    states = []
    torch.manual_seed(options.seed)
    for index, call in enumerate(calls(op, dtype, options)):
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            state = write(folder, stem, index, call, options.dialect, tensors)
        except Exception as problem:
            state = {"state": "skipped", "why": f"{type(problem).__name__}: {problem}"[:300]}
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        states.append(state)
        yield state["state"]
    save_tensors(os.path.join(folder, f"{stem}.safetensors"), tensors)
    with open(os.path.join(folder, f"{stem}.json"), "w") as file:
        json.dump({"op": op.formatted_name, "dtype": str(dtype)[6:], "samples": states}, file, default=str)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--dtypes", nargs="+", default=["float32", "int64", "bool", "complex64"])
    parser.add_argument("--ops", nargs="+", help="formatted names: `name` or `name_variant`; default all")
    parser.add_argument("--max-samples", type=int, default=6)
    parser.add_argument("--max-elements", type=int, default=20_000, help="in the tensors of a sample")
    parser.add_argument("--weights", action="store_true", help="tensors behind a sample's first are weights of the program")
    parser.add_argument("--dialect", choices=["training", "aten"], default="training")
    parser.add_argument("--seeds", action="store_true", help="one sample of each op of the test suite's selection")
    parser.add_argument("--seed", type=int, default=0, help="of the values of samples, and of which are drawn; 0 spreads them")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where PyTorch computes")
    parser.add_argument("--share", default="0/1", help="`3/16`: the fourth of sixteen processes that write the samples together")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    options = parser.parse_args()
    if options.seeds:
        options.dtypes, options.max_samples, options.max_elements = list(SEEDS), 1, SEED_ELEMENTS
    os.makedirs(options.out, exist_ok=True)
    torch.set_num_threads(1)
    share, shares = map(int, options.share.split("/"))
    signal.signal(signal.SIGVTALRM, expire)
    # Convolutions on a GPU have three digits otherwise.
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        for name, op in itertools.islice(itertools.product(options.dtypes, op_db), share, None, shares):
            dtype = getattr(torch, name)
            chosen = SEEDS[name].split() if options.seeds else options.ops
            if dtype not in op.supported_dtypes(options.device) or (chosen and op.formatted_name not in chosen):
                continue
            try:
                print(name, op.formatted_name, *samples(options.out, op, dtype, options), flush=True)
            except Exception as problem:
                print(name, op.formatted_name, f"no samples: {problem}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
