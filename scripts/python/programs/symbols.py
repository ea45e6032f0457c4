"""Symbolic sizes: arithmetic on them, equal and derived dims, sizes that come from data."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from programs.program import Program, calls


class Sizes(nn.Module):
    """Python arithmetic on sizes: division, remainder, maximum, power, conversions."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple:
        a, b = x.shape
        c = y.shape[0]
        half = (a + 1) // 2
        return (
            x.reshape(-1),
            x[:half],
            x.new_zeros(max(a, c), b),
            torch.arange(a * b - c),
            x.new_full((a % 3 + 2,), a / b),
            x[-1:, : b // 2],
            torch.cat([x[0], y]),
            a,
            a * b + c,
            x.sum() / (a * b),
            x.view(a, 1, b).expand(a, 2, b),
            torch.ones(a**2),
        )


class Windows(nn.Module):
    """Convolution, pooling and resizing of images of any size."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, stride=2, padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.conv(x)
        up = F.interpolate(y, size=x.shape[-2:], mode="bilinear")
        return (
            y,
            up,
            F.max_pool2d(x, 2),
            F.adaptive_avg_pool2d(y, 1).flatten(1),
            F.pad(x, (0, x.shape[-1] % 2, 0, x.shape[-2] % 2)),
            y.flatten(2).transpose(1, 2),
        )


class Derived(nn.Module):
    """A dim that is twice another, and two inputs that share one."""

    def forward(self, x: torch.Tensor, twice: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        return x + twice.view(x.shape[0], 2, -1).sum(1) * same[:, None]


class FromData(nn.Module):
    """Sizes read from values: nonzero, item, a mask, repeats, a slice up to a number."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.shape[0])
        kept = x[x.sum(1) > 0]
        return x[:k], kept @ x.t(), kept.sum(0), torch.nonzero(x > 1), torch.arange(k) * 2, x.masked_select(x < 0).sum(), n.expand(k)


PROGRAMS = [
    Program(
        "sizes",
        Sizes,
        lambda: calls((torch.randn(5, 4), torch.randn(4)), (torch.randn(3, 5), torch.randn(6)), (torch.randn(11, 7), torch.randn(3))),
        lambda: {"x": {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, "y": {0: Dim.DYNAMIC}},
    ),
    Program(
        "windows",
        Windows,
        lambda: calls((torch.randn(3, 2, 9, 12),), (torch.randn(1, 2, 8, 7),)),
        lambda: {"x": {0: Dim("batch", max=8), 2: Dim("height", min=4, max=64), 3: Dim("width", min=4, max=64)}},
    ),
    Program(
        "derived",
        Derived,
        lambda: calls((torch.randn(3, 2), torch.randn(6, 2), torch.randn(3)), (torch.randn(5, 2), torch.randn(10, 2), torch.randn(5))),
        lambda: (lambda d: {"x": {0: d}, "twice": {0: 2 * d}, "same": {0: d}})(Dim("d", min=2, max=32)),
    ),
    Program(
        "from_data",
        FromData,
        lambda: calls((torch.randn(5, 3), torch.tensor(2)), (torch.randn(5, 3), torch.tensor(5)), (-torch.ones(5, 3), torch.tensor(0))),
    ),
]
