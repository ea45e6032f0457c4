"""Writes packages/backend/src/tensor/tensor-text.golden.json: tensors of every dtype as `str(tensor)` of PyTorch.

    python scripts/python/tensor_text.py [--check]

Elements are given by their bytes, in base64.
"""

import base64
import json

import torch

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/backend/src/tensor/tensor-text.golden.json"
INF, NAN = float("inf"), float("nan")


def tensors():
    yield torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    yield torch.tensor([[1.5, -2.25], [NAN, INF]])
    # Ties after the fourth decimal, and after the fourth digit of an exponent.
    yield torch.tensor([0.03125, 0.09375, -0.15625, 1.0])
    yield torch.tensor([5e-5, 0.99995, 0.00015])
    yield torch.tensor([1.03125e-7, 3.0, -2e10])
    yield torch.tensor([131072.0 * 8 + 8, 1e9, 3e9, 1.00005e9])
    yield torch.tensor([1e-5, 2e-5])
    yield torch.tensor([0.0, -0.0, 1e-30, 1e30])
    yield torch.tensor([0.0, -0.0, NAN, -INF])
    yield torch.tensor([-0.0, 1.5, 1000.25])
    yield torch.tensor([1.0, -3.0, INF])
    yield torch.tensor([1e8, 2e8])
    yield torch.tensor([3e-4])
    for value in (7, 2.5, -0.0, NAN, True, 3 - 4j, 2**40):
        yield torch.tensor(value)
    for shape in ((0,), (0, 3), (2, 0), (1, 1, 1), (13,), (3, 5, 7), (2, 3, 5, 2)):
        numbers = torch.arange(torch.Size(shape).numel()).reshape(shape)
        yield numbers
        yield numbers / 7
        yield numbers.to(torch.float64) * 1e-3
        yield numbers % 3 == 0
        yield numbers.to(torch.float32) * 1e3
        yield torch.complex(numbers / 3, -numbers * 100.0)
    # More than 1,000 elements are shortened.
    for shape in ((1001,), (7, 150), (501, 2), (9, 9, 13), (41, 1, 27), (7, 11, 3, 5)):
        numbers = torch.arange(torch.Size(shape).numel()).reshape(shape)
        yield numbers.to(torch.int16)
        yield (numbers / 8).to(torch.float16)
    for name in (
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bool",
    ):
        dtype = getattr(torch, name)
        yield torch.tensor([0, 1, 100]).to(dtype)
        yield torch.zeros(2, 0, dtype=dtype)
        yield torch.zeros(0, dtype=dtype)
        yield torch.tensor(3).to(dtype)
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"):
        yield torch.tensor([0.5, -2.0, 0.3]).to(getattr(torch, name))
    yield torch.tensor([1 + 2j, NAN - 1j, -0.0 + 0j], dtype=torch.complex32)
    yield torch.tensor([-(2**63), 2**63 - 1])
    yield torch.tensor([1.5, 2.25, 1e-3], dtype=torch.float64)


def case(tensor):
    flat = tensor.contiguous().reshape(-1)
    data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() > 0 else b""
    return {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "bytes": base64.b64encode(data).decode(),
        "text": str(tensor),
    }


def text() -> str:
    cases = [case(tensor) for tensor in tensors()]
    return "[\n" + ",\n".join(json.dumps(one) for one in cases) + "\n]\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
