"""Records what every node of an exported program returns in PyTorch, for `pt2 verify --per-node --expected`.

    python record_nodes.py model.pt2 nodes.safetensors
    pt2 verify model.pt2 --per-node --expected nodes.safetensors

The program runs once, node by node, on the inputs that `torch.export.save` keeps in the file, or on `--inputs`. Every
tensor is written as soon as its node has run, so that later in-place ops do not change it and memory does not grow. It
is found by the name of the node. Values of nested graphs have the names of the node and the graph before their own
(`cond.true_graph_0.add`), and from the second run of a loop's body on a number after it (`while_loop.body_graph_0.add#1`).

Needs torch and nothing else.
"""

import argparse
import ctypes
import fnmatch
import importlib
import json
import operator
import os
import shutil
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, BinaryIO

import torch
from torch.export.graph_signature import ConstantArgument, InputKind
from torch.utils import _pytree as pytree

# What safetensors calls the dtypes. Tensors of other ones are stored as bytes, with their type in the metadata.
SAFETENSORS = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
    "complex64": "C64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
}


def dtype_name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def bytes_of(tensor: torch.Tensor) -> bytes:
    """The elements in row-major order, as they are now."""
    dense = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    size = dense.numel() * dense.element_size()
    return ctypes.string_at(dense.data_ptr(), size) if size else b""


class NodeFile:
    """A safetensors file that is written tensor by tensor; what is no tensor goes into its metadata."""

    def __init__(self, data: BinaryIO) -> None:
        self.data = data
        self.header: dict[str, Any] = {}
        self.scalars: dict[str, list[str]] = {}
        self.bytes: dict[str, list[Any]] = {}
        self.shapes: dict[str, list[Any]] = {}
        self.skipped: dict[str, str] = {}
        self.end = 0

    def add(self, name: str, value: Any, most: int | None = None) -> None:
        """Adds a value; of a tensor with more than `most` elements only its dtype and shape."""
        if isinstance(value, torch.Tensor):
            self.add_tensor(name, value, most)
        elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            self.add(name, value.node.require_hint() if hasattr(value.node, "require_hint") else value.node.hint)
        elif isinstance(value, (bool, int, float, str)):
            self.scalars[name] = [type(value).__name__, json.dumps(value)]

    def add_tensor(self, name: str, tensor: torch.Tensor, most: int | None) -> None:
        if tensor.layout != torch.strided or tensor.is_quantized:
            self.skipped[name] = f"a tensor with layout {tensor.layout} and dtype {tensor.dtype}"
            return
        dtype, shape = dtype_name(tensor), list(tensor.shape)
        if most is not None and tensor.numel() > most:
            self.shapes[name] = [dtype, shape]
            return
        raw = bytes_of(tensor)
        known = SAFETENSORS.get(dtype)
        if known is None:
            self.bytes[name] = [dtype, shape]
        where = [self.end, self.end + len(raw)]
        self.header[name] = {"dtype": known or "U8", "shape": shape if known else [len(raw)], "data_offsets": where}
        self.data.write(raw)
        self.end += len(raw)

    def write(self, path: str, about: dict[str, Any]) -> None:
        notes = {"scalars": self.scalars, "bytes": self.bytes, "shapes": self.shapes, "skipped": self.skipped}
        header = json.dumps({"__metadata__": {"pt2.nodes": json.dumps(about | notes)}, **self.header}).encode()
        header += b" " * (-len(header) % 8)
        self.data.seek(0)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            shutil.copyfileobj(self.data, file, 1 << 24)


class Selection:
    """Which nodes are recorded: by name, op or module path."""

    def __init__(self, patterns: list[str]) -> None:
        self.patterns = patterns

    def has(self, name: str, node: torch.fx.Node) -> bool:
        if not self.patterns:
            return True
        modules = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
        words = [name, str(node.target), *(path.removeprefix("L['self'].") for path in modules)]
        return any(fnmatch.fnmatchcase(word, pattern) for word in words for pattern in self.patterns)


class Recording:
    """What all graphs of one run share."""

    def __init__(self, file: NodeFile, selection: Selection, most: int | None, weights: set[int]) -> None:
        self.file = file
        self.selection = selection
        self.most = most
        self.weights = weights
        self.times: Counter[str] = Counter()

    def add(self, name: str, node: torch.fx.Node, value: Any) -> None:
        seen = self.times[name]
        self.times[name] += 1
        if not self.selection.has(name, node) or is_uninitialized(node):
            return
        self.file.add(f"{name}#{seen}" if seen else name, value, self.most)

    def is_weight(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.layout == torch.strided and storage_of(value) in self.weights


def storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def is_uninitialized(node: torch.fx.Node) -> bool:
    """Memory that nothing was written to has no values to compare."""
    return str(node.target).startswith(("aten.empty", "aten.new_empty"))


def is_unused_part(node: torch.fx.Node) -> bool:
    """A part of a result that nothing uses. Other unused nodes may have written to a tensor."""
    return node.target is operator.getitem and not node.users


class NodeRecorder(torch.fx.Interpreter):
    """Runs a graph and records what its nodes return; `prefix` is the path of a nested graph.

    Inputs of nested graphs are recorded too. A wrapper is a part of the graph around it before a run, so its weights are
    known: layers that share a wrapper may have large ones.
    """

    def __init__(self, module: torch.fx.GraphModule, recording: Recording, prefix: str = "", wrapped: bool = False) -> None:
        super().__init__(module)
        self.recording = recording
        self.prefix = prefix
        self.wrapped = wrapped

    def run_node(self, n: torch.fx.Node) -> Any:
        inside = nested_call(n)
        value = super().run_node(n) if inside is None else inside(self, n)
        if is_unused_part(n):
            return value
        if n.op == "call_function" or (n.op == "placeholder" and self.prefix and not self.is_known(value)):
            self.recording.add(self.prefix + n.name, n, value)
        return value

    def is_known(self, value: Any) -> bool:
        return self.wrapped and self.recording.is_weight(value)

    def nested(self, node: torch.fx.Node, graph: torch.fx.Node, wrapped: bool = False) -> Any:
        """The function of a nested graph, which is recorded too."""
        module = getattr(self.module, graph.target)
        return NodeRecorder(module, self.recording, f"{self.prefix}{node.name}.{graph.target}.", wrapped).run

    def value(self, arg: Any) -> Any:
        return torch.fx.node.map_arg(arg, lambda node: self.env[node])


def run_cond(at: NodeRecorder, node: torch.fx.Node) -> Any:
    chosen, true_graph, false_graph, *operands = node.args
    branch = at.nested(node, true_graph if at.value(chosen) else false_graph)
    return branch(*at.value(operands[0] if operands else ()))


def run_while_loop(at: NodeRecorder, node: torch.fx.Node) -> Any:
    condition, body, carried, *additional = node.args
    values, others = tuple(at.value(carried)), tuple(at.value(additional[0] if additional else ()))
    go_on, step = at.nested(node, condition), at.nested(node, body)
    while go_on(*values, *others):
        values = tuple(step(*values, *others))
    return values


def run_wrapper(at: NodeRecorder, node: torch.fx.Node) -> Any:
    """A wrapper calls its graph with the operands after it, in a mode that the arguments before it describe."""
    place = next(i for i, arg in enumerate(node.args) if is_graph(arg))
    before, operands = at.value(node.args[:place]), at.value(node.args[place + 1 :])
    inside = at.nested(node, node.args[place], wrapped=True)
    with mode_of(str(node.target), before, node.kwargs):
        return inside(*(operand for operand in operands if not isinstance(operand, str)))


def mode_of(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if name != "wrap_with_autocast":
        return nullcontext()
    given = dict(zip(("device_type", "dtype", "enabled", "cache_enabled"), args, strict=False)) | kwargs
    return torch.autocast(**given)


# Other higher-order ops are run by PyTorch, and only their results are recorded.
NESTED = {
    "cond": run_cond,
    "while_loop": run_while_loop,
    "wrap_with_set_grad_enabled": run_wrapper,
    "wrap_with_autocast": run_wrapper,
    "wrap": run_wrapper,
    "strict_mode": run_wrapper,
    "invoke_subgraph": run_wrapper,
    "tag_activation_checkpoint": run_wrapper,
    "wrap_activation_checkpoint": run_wrapper,
}


def is_graph(arg: Any) -> bool:
    return isinstance(arg, torch.fx.Node) and arg.op == "get_attr"


def nested_call(node: torch.fx.Node) -> Any:
    if node.op != "call_function" or not isinstance(node.target, torch._ops.HigherOrderOperator):
        return None
    return NESTED.get(str(node.target)) if any(map(is_graph, node.args)) else None


def read_tensors(path: str) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file."""
    dtypes = {name: getattr(torch, dtype) for dtype, name in SAFETENSORS.items() if hasattr(torch, dtype)}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = torch.frombuffer(data[begin:end], dtype=torch.uint8) if end > begin else torch.empty(0, dtype=torch.uint8)
        tensors[name] = raw.view(dtypes[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def parse_scalar(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    words = {"true": True, "false": False, "none": None, "null": None}
    if value.lower() in words:
        return name, words[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            pass
    return name, value


def given_leaves(options: argparse.Namespace, specs: list[Any]) -> list[Any]:
    """The inputs of the first call in `--inputs` and `--scalar`: by name or position."""
    given: dict[str, Any] = dict(read_tensors(options.inputs)) if options.inputs else {}
    if options.inputs:
        beside = options.inputs.removesuffix(".safetensors").removesuffix(".inputs") + ".json"
        if os.path.exists(beside):
            with open(beside) as file:
                calls = json.load(file).get("calls") or [{}]
            given |= calls[0].get("non_tensor_inputs") or {}
    given |= dict(map(parse_scalar, options.scalar))
    by_name = {name.replace(".", "_"): value for name, value in given.items()}
    leaves = []
    for position, spec in enumerate(specs):
        fixed = spec.arg.value if isinstance(spec.arg, ConstantArgument) else None
        leaves.append(by_name.get(spec.arg.name, given.get(str(position), fixed)))
    return leaves


def sample_leaves(program: torch.export.ExportedProgram) -> list[Any]:
    """The inputs that the file keeps, in the order of the program's signature."""
    if program.example_inputs is None:
        sys.exit("The file keeps no sample inputs: pass --inputs")
    args, kwargs = program.example_inputs
    spec = program.call_spec.in_spec
    # Before torch 2.10 a spec has no `child`.
    named = spec.child(1) if hasattr(spec, "child") else spec.children_specs[1]
    return pytree.tree_leaves((args, {name: kwargs[name] for name in named.context or []}))


def operands_of(program: torch.export.ExportedProgram, leaves: list[Any]) -> Iterator[Any]:
    """What the placeholders get. Tensors are copied, as the program may write to them."""
    rest = iter(leaves)
    copies: dict[int, torch.Tensor] = {}
    for spec in program.graph_signature.input_specs:
        if spec.kind == InputKind.USER_INPUT:
            value = next(rest)
        elif spec.kind == InputKind.TOKEN:
            value = torch.tensor([])
        else:
            value = program.state_dict.get(spec.target, program.constants.get(spec.target))
        if isinstance(value, torch.Tensor) and spec.kind in (InputKind.BUFFER, InputKind.USER_INPUT):
            value = copies.setdefault(id(value), value.detach().clone())
        yield value


def record(program: torch.export.ExportedProgram, leaves: list[Any], recording: Recording) -> None:
    specs = program.graph_signature.input_specs
    operands = list(operands_of(program, leaves))
    for spec, operand in zip(specs, operands, strict=True):
        if spec.kind == InputKind.USER_INPUT:
            recording.file.add(spec.arg.name, operand)
        elif isinstance(operand, torch.Tensor) and operand.layout == torch.strided:
            recording.weights.add(storage_of(operand))
    with torch.no_grad():
        NodeRecorder(program.graph_module, recording).run(*operands)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the .pt2 file")
    parser.add_argument("output", help="the .safetensors file to write")
    parser.add_argument("--inputs", metavar="IN", help="inputs as .safetensors, by name or position; default: the file's sample inputs")
    parser.add_argument("--scalar", action="append", default=[], metavar="NAME=VALUE", help="an input that is not a tensor")
    parser.add_argument("--nodes", nargs="+", default=[], metavar="PATTERN", help="record only nodes whose name, op or module matches: 'layers.3*'")
    parser.add_argument("--shapes-above", type=int, metavar="N", help="record only dtype and shape of tensors with more than N elements")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of PyTorch")
    parser.add_argument("--import", dest="modules", nargs="+", default=[], metavar="MODULE", help="modules that register ops and containers")
    options = parser.parse_args()
    for path in filter(None, [options.file, options.inputs]):
        if not os.path.isfile(path):
            sys.exit(f"There is no file {path}")
    for module in options.modules:
        importlib.import_module(module)
    if options.threads:
        torch.set_num_threads(options.threads)
    program = torch.export.load(options.file)
    specs = [spec for spec in program.graph_signature.input_specs if spec.kind == InputKind.USER_INPUT]
    leaves = given_leaves(options, specs) if options.inputs or options.scalar else sample_leaves(program)
    if len(leaves) != len(specs):
        sys.exit(f"The program takes {len(specs)} inputs, not {len(leaves)}")
    with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(options.output))) as data:
        file = NodeFile(data)
        record(program, leaves, Recording(file, Selection(options.nodes), options.shapes_above, set()))
        inputs = [spec.arg.name for spec in specs]
        file.write(options.output, {"version": 1, "torch": torch.__version__, "inputs": inputs})
    values = len(file.header) + len(file.scalars) + len(file.shapes)
    by_shape = f", {len(file.shapes)} of them by shape only" if file.shapes else ""
    print(f"{options.output}: {values} values{by_shape}, {file.end / 1e6:.1f} MB")
    for name, reason in file.skipped.items():
        print(f"not recorded: {name}, {reason}")


if __name__ == "__main__":
    main()
