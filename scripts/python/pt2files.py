"""Writes the files the TypeScript side is checked against.

Per program: NAME.pt2, NAME.inputs.safetensors (keyed by position, user inputs in flattened order),
NAME.expected.safetensors (keyed by position, flattened outputs of PyTorch eager) and NAME.json (torch version,
dialect, the inputs and outputs that are not tensors, the ops of the graph, and where tensors lie that another program
has too). The first call's keys have no prefix;
the calls after it are prefixed `call1.`, `call2.`, and are made in that order on one instance.
"""

import copy
import filecmp
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from tensor_files import save_tensors


@dataclass
class Call:
    """One call of a module."""

    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass
class Recording:
    """What the calls of one module took and gave, as the files store it."""

    inputs: dict[str, torch.Tensor]
    expected: dict[str, torch.Tensor]
    calls: list[dict[str, Any]]


def record(module: torch.nn.Module, calls: Sequence[Call]) -> Recording:
    """Runs the calls in order on a copy of `module`, without gradients."""
    reference, result = copy.deepcopy(module), Recording({}, {}, [])
    for index, call in enumerate(calls):
        prefix = f"call{index}." if index else ""
        call = copy.deepcopy(call)
        scalars_in = _split(pytree.tree_leaves((call.args, call.kwargs)), prefix, result.inputs)
        with torch.no_grad():
            leaves = pytree.tree_leaves(reference(*call.args, **call.kwargs))
        scalars_out = _split(leaves, prefix, result.expected)
        result.calls.append({"non_tensor_inputs": scalars_in, "non_tensor_outputs": scalars_out, "outputs": len(leaves)})
    return result


def _split(leaves: Sequence[Any], prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    rest = {}
    for position, value in enumerate(leaves):
        if isinstance(value, torch.Tensor):
            tensors[f"{prefix}{position}"] = value.clone()
        else:
            rest[str(position)] = value
    return rest


def _relative(match: re.Match[str]) -> str:
    path = match.group(1)
    return f'File "{path.split("-packages/")[-1] if "-packages/" in path else os.path.basename(path)}"'


def make_portable(program: ExportedProgram) -> ExportedProgram:
    """Names the files in stack traces relative to their package, so that a file says nothing about the machine."""
    for graph in graphs(program):
        for node in graph.nodes:
            if trace := node.meta.get("stack_trace"):
                node.meta["stack_trace"] = re.sub(r'File "([^"]*)"', _relative, trace)
    return program


def without_traces(program: ExportedProgram) -> ExportedProgram:
    """Forgets which Python each node comes from."""
    for graph in graphs(program):
        for node in graph.nodes:
            for key in ("stack_trace", "nn_module_stack", "torch_fn", "source_fn_stack", "custom", "from_node"):
                node.meta.pop(key, None)
    return program


def graphs(program: ExportedProgram) -> list[torch.fx.Graph]:
    """The program's graph and those nested in it."""
    return [m.graph for m in program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]


def op_names(program: ExportedProgram) -> list[str]:
    """Every operator and Python function the program calls, sorted."""

    def name(target: Any) -> str:
        return f"{target.__module__}.{target.__name__}" if isinstance(target, (FunctionType, BuiltinFunctionType)) else str(target)

    return sorted({name(n.target) for g in graphs(program) for n in g.nodes if n.op == "call_function"})


def save_program(folder: str, name: str, program: ExportedProgram, recording: Recording, others: Sequence[str] = ()) -> str:
    """Writes the files of one program and returns the path of the `.pt2`.

    Tensors that lie in a file of `others`, programs given by their paths without `.pt2`, are not written again.
    """
    path = os.path.join(folder, f"{name}.pt2")
    dialect = str(program.dialect)
    torch.export.save(make_portable(program), path)
    elsewhere = {}
    for kind, tensors in (("inputs", recording.inputs), ("expected", recording.expected)):
        file = os.path.join(folder, f"{name}.{kind}.safetensors")
        save_tensors(file, tensors)
        for other in (f"{base}.{kind}.safetensors" for base in others):
            if other != file and os.path.exists(other) and filecmp.cmp(other, file, shallow=False):
                os.remove(file)
                elsewhere[kind] = os.path.relpath(other, folder)
                break
    with open(os.path.join(folder, f"{name}.json"), "w") as file:
        sidecar = {
            "torch": torch.__version__,
            "dialect": dialect,
            **elsewhere,
            "calls": recording.calls,
            "ops": op_names(program),
        }
        json.dump(sidecar, file, indent=1, default=str)
    return path


def recorded_file(base: str, kind: str) -> str:
    """The file with the `inputs` or `expected` of the program `base`.pt2."""
    with open(f"{base}.json") as file:
        elsewhere = json.load(file).get(kind)
    return os.path.join(os.path.dirname(base), elsewhere) if elsewhere else f"{base}.{kind}.safetensors"


def check_program(path: str, calls: Sequence[Call], recording: Recording) -> float:
    """Loads the file and makes the calls in PyTorch; returns the largest error, raises when one is out of tolerance."""
    module, worst = torch.export.load(path).module(), 0.0
    for index, call in enumerate(copy.deepcopy(list(calls))):
        with torch.no_grad():
            leaves = pytree.tree_leaves(module(*call.args, **call.kwargs))
        for position, actual in enumerate(leaves):
            if isinstance(actual, torch.Tensor):
                expected = recording.expected[f"call{index}.{position}" if index else str(position)]
                lower = expected.dtype in (torch.bfloat16, torch.float16)
                tolerance = {} if lower else {"rtol": 1e-3, "atol": 1e-4}
                torch.testing.assert_close(actual, expected, equal_nan=True, **tolerance)
                if actual.is_floating_point() and actual.numel():
                    worst = max(worst, (actual.double() - expected.double()).nan_to_num(0, 0, 0).abs().max().item())
    return worst


def export_dialects(module: torch.nn.Module, call: Call, dynamic: Any = None) -> dict[str, Callable[[], ExportedProgram]]:
    """The module as training IR (``) and as ATen IR (`_aten`), by the suffix of the file, made when asked for."""
    training = torch.export.export(module, call.args, call.kwargs, dynamic_shapes=dynamic, strict=False)
    return {"": lambda: training, "_aten": lambda: training.run_decompositions()}
