"""Arguments drawn by the types and names of a schema: many small calls of every overload, in processes of their own."""

import contextlib
import os
import pickle
import random
import signal
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import torch

from memory.observe import Observations

SHAPES = [(2, 3), (3, 3), (3,), (), (2, 3, 4), (1,), (1, 1), (1, 2, 4, 4), (4,), (2, 2, 3, 3, 3), (1, 3), (3, 1)]
DTYPES = [torch.float32] * 3 + [torch.int64, torch.bool, torch.complex64, torch.float64, torch.float16]
EQUATIONS = ["ij->ji", "ij->ij", "ii->i", "i->i", "...->...", "ij->i", "...ij->...ji", "ij,ij->ij", "i,j->ij"]
TEXTS = {
    "equation": EQUATIONS,
    "indexing": ["ij", "xy"],
    "mode": ["constant", "reflect", "bilinear", "nearest", "sum"],
    "padding": ["valid", "same"],
    "reduce": ["sum", "mean"],
    "rounding_mode": ["floor", "trunc"],
}
TRIES, ENOUGH, SECONDS = 80, 24, 60


class Undrawable(Exception):
    """A type that nothing is drawn for."""


class Draw:
    """One call: most of its tensors are alike, so that they fit each other."""

    def __init__(self, rnd: random.Random) -> None:
        self.rnd = rnd
        self.shape, self.dtype = rnd.choice(SHAPES), rnd.choice(DTYPES)
        self.mixed = rnd.random() < 0.35

    def tensor(self) -> torch.Tensor:
        shape, dtype = self.shape, self.dtype
        if self.mixed:
            shape, dtype = self.rnd.choice(SHAPES), self.rnd.choice([dtype, torch.int64, torch.float32, torch.bool])
        turned = len(shape) > 1 and self.rnd.random() < 0.35
        values = torch.randint(0, 3, shape[::-1] if turned else shape).to(dtype)
        if turned:
            values = values.permute(*range(len(shape) - 1, -1, -1))
        return values.conj() if dtype.is_complex and self.rnd.random() < 0.3 else values

    def value(self, of: Any, name: str) -> Any:
        kind = of.kind()
        if kind == "OptionalType":
            return None if self.rnd.random() < 0.5 else self.value(of.getElementType(), name)
        if kind == "ListType":
            return self.list(of.getElementType(), name)
        choices = {
            "TensorType": self.tensor,
            "FloatType": lambda: self.rnd.choice([0.0, 0.0, 1.0, 0.5, 2.0]),
            "BoolType": lambda: self.rnd.random() < 0.5,
            "NumberType": lambda: self.rnd.choice([0, 1, 2, 0.5, 1.0]),
            "StringType": lambda: self.rnd.choice(TEXTS.get(name, ["none", "sum", "mean"])),
            "DeviceObjType": lambda: torch.device("cpu"),
            "IntType": lambda: self.int(name),
            "SymIntType": lambda: self.int(name),
        }
        if kind not in choices:
            raise Undrawable(kind)
        return choices[kind]()

    def int(self, name: str) -> Any:
        if "dtype" in name:
            return self.rnd.choice([self.dtype, torch.float32, torch.int64, torch.complex64])
        if name == "layout":
            return torch.strided
        if name == "memory_format":
            return self.rnd.choice([torch.contiguous_format, torch.preserve_format])
        return self.rnd.choice([0, 0, 1, 1, -1, 2, 3, -2])

    def list(self, of: Any, name: str) -> list[Any]:
        if of.kind() not in ("IntType", "SymIntType"):
            return [self.value(of, name) for _ in range(self.rnd.choice([1, 1, 2, 3]))]
        lists = [list(self.shape)] * 3 + [[], [-1], [self.int("") for _ in range(self.rnd.choice([1, 1, 2, 2, 3, 4]))]]
        return self.rnd.choice(lists)


def observe(op: torch._ops.OpOverload) -> Observations:
    """Calls one overload until enough calls succeeded."""
    seen = Observations()
    rnd = random.Random(zlib.crc32(str(op).encode()))
    torch.manual_seed(0)
    arguments = op._schema.arguments
    for _ in range(TRIES):
        draw = Draw(rnd)
        values = [draw.value(argument.type, argument.name) for argument in arguments]
        positional = tuple(v for a, v in zip(arguments, values, strict=True) if not a.kwarg_only)
        named = {a.name: v for a, v in zip(arguments, values, strict=True) if a.kwarg_only}
        with contextlib.suppress(Exception):
            seen.call(op, positional, named)
        if seen.calls.total() >= ENOUGH:
            break
    return seen


def observe_all(ops: list[torch._ops.OpOverload]) -> tuple[Observations, list[str]]:
    """All of them, and those that ended the process or took too long: an operator may do anything on odd arguments."""
    total, fallen = Observations(), []
    at = 0
    while at < len(ops):
        for seen in child(ops[at:]):
            if seen is not None:
                total.add(seen)
            at += 1
        if at < len(ops):
            fallen.append(str(ops[at]))
            at += 1
    return total, fallen


def child(ops: list[torch._ops.OpOverload]) -> Iterator[Observations | None]:
    """What a process of its own saw, op by op, until it ended."""
    sys.stdout.flush()
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(source)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(sink, "wb") as stream:
            for op in ops:
                signal.alarm(SECONDS)
                try:
                    data = pickle.dumps(observe(op))
                except Undrawable:
                    data = pickle.dumps(None)
                stream.write(struct.pack("<I", len(data)) + data)
                stream.flush()
        os._exit(0)
    os.close(sink)
    with os.fdopen(source, "rb") as stream:
        while head := stream.read(4):
            yield pickle.loads(stream.read(struct.unpack("<I", head)[0]))
    os.waitpid(pid, 0)
