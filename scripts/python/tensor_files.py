"""Safetensors files, with the dtypes that their own Python package refuses as well."""

import json
import struct
from collections.abc import Mapping

import torch

NAMES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.uint16: "U16",
    torch.uint32: "U32",
    torch.uint64: "U64",
    torch.bool: "BOOL",
    torch.complex64: "C64",
}
DTYPES = {name: dtype for dtype, name in NAMES.items()}


def raw_bytes(tensor: torch.Tensor) -> bytes:
    """The elements in row-major order, little endian."""
    flat = tensor.detach().resolve_conj().resolve_neg().cpu().clone(memory_format=torch.contiguous_format).reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def save_tensors(path: str, tensors: Mapping[str, torch.Tensor]) -> None:
    """Writes the tensors in the order given."""
    head, blobs, at = {}, [], 0
    for key, tensor in tensors.items():
        raw = raw_bytes(tensor)
        head[key] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        blobs.append(raw)
        at += len(raw)
    header = json.dumps(head).encode()
    header += b" " * (-len(header) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.writelines(blobs)


def load_tensors(path: str) -> dict[str, torch.Tensor]:
    """Every tensor of the file, by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    result = {}
    for key, entry in header.items():
        start, end = entry["data_offsets"]
        raw = torch.frombuffer(bytearray(data[start:end]), dtype=torch.uint8) if end > start else torch.empty(0, dtype=torch.uint8)
        result[key] = raw.view(DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return result
