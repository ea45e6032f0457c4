"""Inputs, outputs, parameters and buffers of every kind."""

from collections import OrderedDict, namedtuple

import torch
from torch import nn
from torch.utils import _pytree as pytree

from programs.program import Program, calls
from pt2files import Call

Detection = namedtuple("Detection", ["boxes", "scores"])
pytree._register_namedtuple(Detection, serialized_type_name="programs.Detection")


class Collisions(nn.Module):
    """Parameter names that become equal when dots become underscores, or that start like prefixes of placeholders."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Module()
        self.a.b_c = nn.Parameter(torch.randn(3))
        self.a_b = nn.Module()
        self.a_b.c = nn.Parameter(torch.randn(3))
        self.p_p_x = nn.Parameter(torch.randn(3))
        self.register_buffer("b_mask", torch.tensor([1.0, 0.0, 2.0]))
        self.register_buffer("c_scale", torch.tensor(0.5))

    def forward(self, x: torch.Tensor, c_mask: torch.Tensor, p_a: torch.Tensor) -> torch.Tensor:
        return (x * self.a.b_c - self.a_b.c) * self.b_mask + c_mask * self.p_p_x + p_a * self.c_scale * torch.tensor([3.0, 2.0, 1.0])


class Containers(nn.Module):
    """Named tuples, ordered and nested dicts, lists, None, numbers, an input passed through, one value given twice."""

    def forward(self, image: torch.Tensor, options: dict, extra: list) -> dict:
        found = Detection(image + options["bias"], extra[0].sum(-1))
        return OrderedDict(found=found, same=image, twice=[found.scores, (found.scores, None)], size=3, nothing={}, scale=0.5)


class MutatedInput(nn.Module):
    """Writes into an argument and into a buffer, and returns views of both."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x.mul_(2)
        x[0].add_(1)
        self.total += x.sum(0)
        self.calls += 1
        return self.total * self.calls, x[:, 1]


class Dtypes(nn.Module):
    """Weights and buffers of every dtype, used as what they are."""

    def __init__(self) -> None:
        super().__init__()
        self.narrow = nn.Linear(3, 5).half()
        self.brain = nn.Linear(5, 2).bfloat16()
        self.wide = nn.Parameter(torch.randn(2, dtype=torch.float64))
        for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
            low = 0 if dtype is torch.uint8 else torch.iinfo(dtype).min
            self.register_buffer(str(dtype).removeprefix("torch."), torch.tensor([low, torch.iinfo(dtype).max], dtype=dtype))
        self.register_buffer("flags", torch.tensor([True, False]))
        self.register_buffer("wave", torch.tensor([1 + 2j, -0.5j]))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.brain(self.narrow(x.half()).bfloat16())
        return (
            y,
            y.double() * self.wide,
            self.int8 + 1,
            self.uint8 + 1,
            self.int16 - 1,
            self.int32,
            self.int64 - 1,
            ~self.flags,
            self.wave * self.wave.conj(),
            self.int8.float() / 3,
        )


class Scalars(nn.Module):
    """Numbers, strings and None among the inputs."""

    def forward(self, x: torch.Tensor, n: int, scale: float, flag: bool, mode: str = "a", nothing: torch.Tensor | None = None) -> torch.Tensor:
        y = x * scale + n if flag else x
        return y.abs() if mode == "b" else y if nothing is None else nothing


class PassThrough(nn.Module):
    """No operation at all: outputs are an input, a parameter and a constant."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        return x, self.weight, 7


PROGRAMS = [
    Program("collisions", Collisions, lambda: calls((torch.randn(2, 3), torch.randn(3), torch.randn(2, 3)))),
    Program("containers", Containers, lambda: [Call((torch.randn(2, 3),), {"options": {"bias": torch.randn(3)}, "extra": [torch.randn(2, 5)]})]),
    Program("mutated_input", MutatedInput, lambda: calls((torch.randn(2, 3),), (torch.randn(2, 3),))),
    Program("dtypes", Dtypes, lambda: calls((torch.randn(4, 3),))),
    Program("scalars", Scalars, lambda: [Call((torch.randn(2, 3), 3, 0.5, True), {"mode": "b"})]),
    Program("pass_through", PassThrough, lambda: calls((torch.randn(2),))),
]
