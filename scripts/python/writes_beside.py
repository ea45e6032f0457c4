"""Writes tests/fixtures/aliasing: programs that write to a tensor beside a result made of it, with PyTorch eager's answers.

    python scripts/python/writes_beside.py [--only NAME…]

`views.json.gz` has every op that may view its argument, with four writes, to the argument and to the result, where the
argument is an input of the program and where it is computed. `ops.json.gz` has every operator of PyTorch's own op
database out of place, with a write to its argument after it. All are genuine exports; what eager mode or the exporter
refuses is left out.
"""

import argparse
import base64
import gzip
import io
import json
import pathlib
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from memory.outofplace import database_calls
from memory.views import VIEWS
from pt2files import graphs
from tensor_files import NAMES, raw_bytes

FOLDER = pathlib.Path(__file__).parents[2] / "tests/fixtures/aliasing"
MOST_BYTES = 60_000

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A function of tensors. It may write to them; it returns them too, so that this shows."""

    name: str
    function: Function
    inputs: tuple[torch.Tensor, ...]


class Module(torch.nn.Module):
    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def first(tensor: torch.Tensor) -> torch.Tensor:
    """Part of a tensor: all elements at the beginning of the last dimension."""
    return tensor.select(-1, 0) if tensor.dim() > 0 else tensor


def last(result: Any) -> torch.Tensor:
    """The tensor of a result that is written to: of several, the last."""
    return result if isinstance(result, torch.Tensor) else result[-1]


WRITES: dict[str, Callable[[torch.Tensor, Any], Any]] = {
    "add_": lambda base, _: base.add_(1),
    "fill_ of a part": lambda base, _: first(base).fill_(7),
    "mul_ of the result": lambda _, view: last(view).mul_(-2),
    "copy_ to a part of the result": lambda _, view: first(last(view)).copy_(first(last(view)) * 3),
}


def view_cases() -> Iterator[Case]:
    for view_name, (view, shape, dtype) in VIEWS.items():
        torch.manual_seed(0)
        tensor = torch.randn(shape, dtype=dtype)
        for write_name, write in WRITES.items():
            for where in ("an input", "a result"):

                def function(x: torch.Tensor, view: Function = view, write: Function = write, where: str = where) -> Any:
                    y = x if where == "an input" else x + 1
                    made = view(y)
                    write(y, made)
                    return made, y

                yield Case(f"{view_name}, {write_name}, of {where}", function, (tensor,))


def database_cases() -> Iterator[Case]:
    for name, call, inputs in database_calls():

        def function(x: torch.Tensor, *others: torch.Tensor, call: Function = call) -> Any:
            y = x.clone()
            made = call(y, *others)
            y.zero_()
            return made, y

        yield Case(name, function, inputs)


def copies(case: Case) -> tuple[torch.Tensor, ...]:
    return tuple(t.clone() for t in case.inputs)


def same(some: list[Any], others: list[Any]) -> bool:
    try:
        torch.testing.assert_close(some, others, rtol=1e-5, atol=1e-6, equal_nan=True)
    except AssertionError:
        return False
    return True


def encoded(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor):
        return leaf
    return {"dtype": NAMES[leaf.dtype], "shape": list(leaf.shape), "data": base64.b64encode(raw_bytes(leaf)).decode()}


def exported(case: Case) -> dict[str, Any] | None:
    """A case as the file has it; None where it cannot be recorded."""
    program = torch.export.export(Module(case.function), copies(case))
    expected, eager = (pytree.tree_leaves(run(*copies(case))) for run in (program.module(), case.function))
    # The exporter itself writes `lift_fresh` as a copy: then what the file says counts.
    if not same(expected, eager) and not case.name.startswith("lift_fresh"):
        return None
    if program.constants or any(torch.Tag.nondeterministic_seeded in getattr(n.target, "tags", ()) for g in graphs(program) for n in g.nodes):
        return None
    for graph in graphs(program):
        for node in graph.nodes:
            node.meta.pop("stack_trace", None)
            node.meta.pop("nn_module_stack", None)
            node.meta.pop("source_fn_stack", None)
            node.meta.pop("torch_fn", None)
    stream = io.BytesIO()
    torch.export.save(program, stream)
    with zipfile.ZipFile(stream) as archive:
        text = archive.read(next(name for name in archive.namelist() if name.endswith("models/model.json"))).decode()
    parts = {"inputs": [encoded(t) for t in case.inputs], "expected": [encoded(leaf) for leaf in expected]}
    return {"name": case.name, **parts, "program": text} if len(text) < MOST_BYTES else None


def write(file: str, cases: Iterator[Case], only: list[str]) -> None:
    programs, refused = [], 0
    for case in cases:
        if only and not any(case.name.startswith(name) for name in only):
            continue
        try:
            program = exported(case)
        except Exception as problem:
            program = None
            if only:
                print(f"{case.name}: {problem}")
        if program is None:
            refused += 1
        else:
            programs.append(program)
    data = "\n".join(json.dumps(program, separators=(",", ":")) for program in programs)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / file).write_bytes(gzip.compress(data.encode(), 9, mtime=0))
    print(f"{file}: {len(programs)} programs, {refused} left out, {(FOLDER / file).stat().st_size / 1e3:.0f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="names of cases begin so")
    parser.add_argument("--files", nargs="*", default=["views", "ops"])
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    for name, cases in (("views", view_cases()), ("ops", database_cases())):
        if name in options.files:
            write(f"{name}.json.gz", cases, options.only)


if __name__ == "__main__":
    main()
