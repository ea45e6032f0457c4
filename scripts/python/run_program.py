"""Runs a `.pt2` file in PyTorch: `python run_program.py FILE --inputs IN [--expected OUT] [--output OUT]`.

What the other direction is tested with: a file that this project wrote must load there. IN, EXPECTED and OUT are
safetensors files keyed by position; inputs that are not tensors come from NAME.json beside NAME.inputs.safetensors. Prints
one JSON document with the largest error; the exit status is 1 when an output is out of tolerance or missing.
"""

import argparse
import importlib
import json
import os
import sys
from typing import Any

import torch
from torch.utils import _pytree as pytree

from tensor_files import load_tensors, save_tensors


def read_inputs(path: str, count: int) -> list[Any]:
    """The leaves of the first call."""
    tensors: dict[str, Any] = dict(load_tensors(path))
    sidecar = path.removesuffix(".inputs.safetensors") + ".json"
    if os.path.exists(sidecar):
        with open(sidecar) as file:
            tensors |= json.load(file)["calls"][0]["non_tensor_inputs"]
    return [tensors[str(position)] for position in range(count)]


def compare(actual: dict[str, torch.Tensor], expected: dict[str, torch.Tensor], rtol: float, atol: float) -> dict[str, Any]:
    """Whether the first call's outputs agree, and by how much they differ at most."""
    worst, problems = 0.0, []
    for key, want in expected.items():
        if "." in key:
            continue
        got = actual.get(key)
        if got is None or got.dtype != want.dtype or got.shape != want.shape:
            problems.append(f"output {key}: expected {want.dtype} {tuple(want.shape)}, got {got if got is None else (got.dtype, tuple(got.shape))}")
            continue
        error = (got.to(torch.complex128) - want.to(torch.complex128)).abs().nan_to_num(0)
        worst = max(worst, error.max().item() if error.numel() else 0.0)
        if not torch.allclose(got, want, rtol, atol, equal_nan=True):
            problems.append(f"output {key}: largest error {error.max().item():.3g}")
    return {"ok": not problems, "worst": worst, "problems": problems}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--expected")
    parser.add_argument("--output")
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--atol", type=float, default=1e-4)
    parser.add_argument("--import", dest="modules", nargs="+", default=[], metavar="MODULE", help="modules that register output types")
    options = parser.parse_args()
    for module in options.modules:
        importlib.import_module(module)
    program = torch.export.load(options.file)
    spec = program.call_spec.in_spec
    args, kwargs = pytree.tree_unflatten(read_inputs(options.inputs, spec.num_leaves), spec)
    with torch.no_grad():
        leaves = pytree.tree_leaves(program.module()(*args, **kwargs))
    outputs = {str(i): leaf for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)}
    if options.output:
        save_tensors(options.output, outputs)
    report = compare(outputs, load_tensors(options.expected), options.rtol, options.atol) if options.expected else {"ok": True}
    print(json.dumps({"torch": torch.__version__, "outputs": len(leaves), **report}))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
