"""Defines the ops in PyTorch, and writes what this example is held against: `python export_model.py`.

Writes beside itself: `custom-ops.pt2`, a network that calls every op once, with the package of its ops, and
`custom-ops.expected.safetensors`, its results; and `goldens.json`, results and gradients of the ops alone, as PyTorch's
autograd computes them from PyTorch's own functions.
"""

import base64
import json
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save
from torch import Tensor, nn

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../../scripts/python"))

from pt2files import make_portable  # noqa: E402
from tensor_files import save_tensors  # noqa: E402

OPS = {}


def op(schema: str):
    """Defines an op by its schema; its function computes it, also for fake tensors."""

    def define(function):
        name = schema.split("(")[0]
        torch.library.define(name, schema.removeprefix(name))
        torch.library.impl(name, "CompositeExplicitAutograd")(function)
        torch.library.register_fake(name)(function)
        OPS[name] = function
        return function

    return define


@op("demo::swish(Tensor input, float beta=1.) -> Tensor")
def swish(input: Tensor, beta: float = 1.0) -> Tensor:
    return input * torch.sigmoid(input * beta)


@op("demo::gelu(Tensor input) -> Tensor")
def gelu(input: Tensor) -> Tensor:
    return F.gelu(input)


@op("demo::mish(Tensor input) -> Tensor")
def mish(input: Tensor) -> Tensor:
    return F.mish(input)


@op("demo::power(Tensor input, Tensor exponent) -> Tensor")
def power(input: Tensor, exponent: Tensor) -> Tensor:
    return torch.pow(input, exponent)


@op("demo::layer_norm(Tensor input, Tensor weight, Tensor bias, float eps=1e-05) -> Tensor")
def layer_norm(input: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    return F.layer_norm(input, input.shape[-1:], weight, bias, eps)


@op("demo::gate(Tensor input, Tensor gate_weight, Tensor value_weight) -> Tensor")
def gate(input: Tensor, gate_weight: Tensor, value_weight: Tensor) -> Tensor:
    return F.silu(input @ gate_weight) * (input @ value_weight)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(5)
        self.gate = nn.Parameter(torch.randn(5, 7))
        self.value = nn.Parameter(torch.randn(5, 7))
        self.exponent = nn.Parameter(torch.rand(7) + 1)

    def forward(self, x: Tensor) -> Tensor:
        ops = torch.ops.demo
        x = ops.layer_norm(x, self.norm.weight, self.norm.bias)
        x = ops.gate(ops.swish(x, 1.5), self.gate, self.value)
        return ops.power(ops.gelu(ops.mish(x)).abs(), self.exponent)


def t(*shape: int, dtype: torch.dtype = torch.float32, lo: float = -3, hi: float = 3) -> Tensor:
    return (torch.rand(shape, dtype=torch.float64) * (hi - lo) + lo).to(dtype)


EDGES = torch.tensor([0.0, -0.0, 1.0, -1.0, 20.0, 21.0, -30.0, 1e-6, 88.0])


def elementwise() -> list:
    return [
        ("edges", [EDGES], {}),
        ("bfloat16", [t(13, dtype=torch.bfloat16)], {}),
        ("float64", [t(5, 3, dtype=torch.float64)], {}),
        ("every second column", [t(5, 7)[:, ::2]], {}),
        ("without elements", [t(0, 3)], {}),
        ("without dimensions", [t()], {}),
    ]


def elementwise_of() -> list:
    return [("prime sizes", [t(7, 11)], {}), ("float16", [t(13, dtype=torch.float16)], {}), *elementwise()]


#: The calls of each op: prime sizes, odd strides, no elements, no dimensions, and all dtypes of floating point.
CALLS = {
    "demo::swish": lambda: [
        ("prime sizes", [t(7, 11)], {}),
        ("with beta", [t(5, 3), 2.5], {}),
        ("float16", [t(13, dtype=torch.float16)], {}),
        *elementwise(),
    ],
    "demo::gelu": elementwise_of,
    "demo::mish": elementwise_of,
    "demo::power": lambda: [
        ("prime sizes", [t(7, 11, lo=0.1), t(7, 11)], {}),
        ("broadcast", [t(7, 1, 3, lo=0.1), t(5, 3)], {}),
        ("zeros", [torch.tensor([0.0, 0.0, 0.0, 2.0, -2.0]), torch.tensor([0.0, 2.0, 1.0, 0.0, 3.0])], {}),
        ("float64", [t(5, dtype=torch.float64, lo=0.1), t(5, dtype=torch.float64)], {}),
        ("without elements", [t(0, 3), t(3)], {}),
        ("without dimensions", [torch.tensor(2.0), torch.tensor(3.0)], {}),
        ("transposed", [t(5, 3, lo=0.1).t(), t(5)], {}),
    ],
    "demo::layer_norm": lambda: [
        ("prime sizes", [t(3, 5, 7), t(7), t(7)], {}),
        ("one row", [t(11), t(11), t(11), 1e-3], {}),
        ("float64", [t(5, 3, dtype=torch.float64), *(t(3, dtype=torch.float64) for _ in "wb")], {}),
        ("transposed", [t(7, 5).t(), t(7), t(7)], {}),
        ("without rows", [t(0, 3), t(3), t(3)], {}),
    ],
    "demo::gate": lambda: [
        ("prime sizes", [t(7, 11), t(11, 5), t(11, 5)], {}),
        ("float64", [t(3, 5, dtype=torch.float64), *(t(5, 2, dtype=torch.float64) for _ in "gv")], {}),
        ("transposed", [t(11, 7).t(), t(5, 11).t(), t(11, 5)], {}),
        ("without rows", [t(0, 3), t(3, 2), t(3, 2)], {}),
    ],
}


def tensor_json(tensor: Tensor) -> dict:
    """A tensor as op cases of the conformance suite write it: its memory, and how it lies in it."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.is_contiguous():
        shown, extra = tensor, {}
    else:
        shown = tensor.as_strided((tensor.untyped_storage().size() // tensor.itemsize,), (1,), 0)
        extra = {"strides": list(tensor.stride()), "offset": tensor.storage_offset()}
    data = shown.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return {"dtype": dtype, "shape": list(tensor.shape), **extra, "data": base64.b64encode(data).decode()}


def case_json(name: str, call: str, args: dict, expected: list) -> dict:
    tensors: list = []

    def encode(value):
        if isinstance(value, Tensor):
            tensors.append(tensor_json(value))
            return {"tensor": len(tensors) - 1}
        if isinstance(value, list):
            return [encode(item) for item in value]
        return {"float": value} if isinstance(value, float) else value

    encoded = {key: encode(value) for key, value in args.items()}
    return {
        "op": name,
        "name": call,
        "args": encoded,
        "tensors": tensors,
        "expected": [[tensor_json(part) for part in each] if isinstance(each, list) else tensor_json(each) for each in expected],
    }


def goldens(name: str) -> dict:
    """Cases of an op's results, and of `gradientOp` of it: for a random gradient of the result."""
    forward, gradient = [], []
    schema = getattr(torch.ops.demo, name.split("::")[1]).default._schema
    for call, args, _ in CALLS[name]():
        named = dict(zip((arg.name for arg in schema.arguments), args, strict=False))
        leaves = {key: value.detach().requires_grad_() for key, value in named.items() if isinstance(value, Tensor)}
        result = OPS[name](**{**named, **leaves})
        forward.append(case_json(name, call, named, [result.detach().contiguous()]))
        grad = t(*result.shape, dtype=result.dtype)
        grads = torch.autograd.grad(result, list(leaves.values()), grad)
        given = {**named, "gradients_of_results": [grad]}
        gradient.append(case_json("check_op::gradient", call, given, [[each.contiguous() for each in grads]]))
    return {"forward": forward, "gradient": gradient}


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = Network().eval()
    x = torch.randn(3, 5)
    program = torch.export.export(network, (x,), dynamic_shapes={"x": {0: torch.export.Dim("rows", min=1, max=1024)}})
    packages = {
        name: {"schema": str(getattr(torch.ops.demo, name.split("::")[1]).default._schema), "package": "demo-ops", "version": "0.1.0"} for name in OPS
    }
    with torch.no_grad():
        expected = base64.b64encode(save({"0": network(x)})).decode()
    path = HERE / "custom-ops.pt2"
    torch.export.save(make_portable(program), path, extra_files={"custom_ops.json": json.dumps(packages), "expected.safetensors.base64": expected})
    with torch.no_grad():
        results = {f"{rows} rows": network(torch.arange(5.0 * rows).sin().reshape(rows, 5)) for rows in (3, 7)}
    save_tensors(HERE / "custom-ops.expected.safetensors", results)
    lines = ",\n".join(
        f'{json.dumps(name)}: {{\n"forward": [\n{rows(kinds["forward"])}\n],\n"gradient": [\n{rows(kinds["gradient"])}\n]\n}}'
        for name, kinds in ((name, goldens(name)) for name in CALLS)
    )
    (HERE / "goldens.json").write_text(f"{{\n{lines}\n}}\n")


def rows(cases: list) -> str:
    return ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)


if __name__ == "__main__":
    main()
