"""What programs assert: of numbers that they read out of tensors, of data, and of sizes that depend on data."""

import torch
from torch import nn
from torch.export import Dim

from programs.program import Program, calls


class Assertions(nn.Module):
    """Each way to say it. `tests/src/assertions.test.ts` breaks them one by one."""

    def forward(self, x: torch.Tensor, n: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        count = n.item()
        torch._check(count >= 2, lambda: "count must be two or more")
        torch._check(count <= 8)
        assert x.shape[0] == y.shape[0], "batch sizes differ"
        torch._check(y.sum().item() > 0, lambda: "y must be positive")
        torch._assert_async((x > -10).all(), "x is too small")
        places = torch.nonzero(y > 0)
        torch._check(places.shape[0] <= 3, lambda: "too many positive elements")
        return x * 2 + torch.zeros(count).sum(), places.to(torch.int32)


PROGRAMS = [
    Program(
        "assertions",
        Assertions,
        lambda: calls((torch.randn(4, 3), torch.tensor(4), torch.tensor([1.5, -0.5, 2.5, -2.5]))),
        lambda: ({0: (s := Dim("s", min=2, max=16))}, None, {0: s}),
    )
]
