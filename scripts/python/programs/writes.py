"""Writes that need care: to `out`, through a reshape whose sizes are not known, and of other sizes."""

import torch
from torch import nn
from torch.export import Dim

from programs.program import Program, calls


class Out(nn.Module):
    """Results go to buffers, to views of them, and to what has another dtype."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("sum", torch.zeros(3))
        self.register_buffer("rows", torch.zeros(2, 3))

    def forward(self, x, w):
        torch.add(self.sum, x[0], alpha=2, out=self.sum)
        torch.mean(x, 0, out=self.rows[1])
        product = torch.empty(2, 2)
        torch.mm(x, w, out=product)
        positive = torch.empty(2, 3, dtype=torch.uint8)
        torch.gt(x, self.sum, out=positive)
        clamped = torch.empty(2, 3)
        torch.clamp(x, self.rows[1], out=clamped)
        return torch.div(product, 3, out=product), positive, clamped, self.sum * 1, self.rows * 1


class Tokens(nn.Module):
    """Adds positions in place to a reshape that is a view, and to one that is a copy; what was reshaped is read after."""

    def __init__(self) -> None:
        super().__init__()
        self.positions = nn.Parameter(torch.randn(4, 6))
        self.scale = nn.Parameter(torch.randn(24))

    def forward(self, x):
        image = x * 2
        tokens = image.permute(0, 2, 3, 1).reshape(x.shape[0], 4, 6)
        tokens += self.positions
        flat = tokens.reshape(x.shape[0], 24)
        flat *= self.scale
        return image, tokens, flat


class Turned(nn.Module):
    """Buffers have other sizes after each call, which the next call finds."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("matrix", torch.arange(6.0).reshape(2, 3))
        self.register_buffer("row", torch.arange(3.0))
        self.register_buffer("square", torch.arange(4.0).reshape(2, 2))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        before = self.matrix.sum(0), self.row.view(-1) * 2
        self.matrix.t_().add_(x.sum())
        self.row.contiguous().unsqueeze_(0)
        self.row.mul_(2)
        self.square.transpose_(0, 1)
        self.count.add_(self.square[0, 1])
        return *before, self.matrix @ self.matrix.mT, self.row + x, self.square * x[:2], self.count * 1


class Memory(nn.Module):
    """One number is written where elements are one in memory, and as_strided_scatter writes around views of other strides."""

    def forward(self, x):
        column, row, other = x[:, :1].clone(), x.flatten() * 1, x * 1
        column.expand(3, 4).fill_(2.0)
        row[6:].unfold(0, 4, 2).zero_()
        other.as_strided((2, 2), (0, 1)).zero_()
        rows = x[:2, :3]
        turned = torch.as_strided_scatter(x.t(), rows, (2, 3), (1, 3))
        part = torch.as_strided_scatter(x[:, ::2], rows, (2, 3), (1, 2))
        last = torch.as_strided_scatter((x * 2).t().clone(), rows, (2, 3), (3, 1), 2)
        return column, row, other, turned, part, last


PROGRAMS = [
    Program("memory", Memory, lambda: calls((torch.randn(3, 4),)), plain=True),
    Program("turned", Turned, lambda: calls(*((torch.randn(3),) for _ in range(4))), plain=True),
    Program("out", Out, lambda: calls(*((torch.randn(2, 3), torch.randn(3, 2)) for _ in range(2)))),
    Program(
        "tokens",
        Tokens,
        lambda: calls((torch.randn(3, 6, 2, 2),), (torch.randn(1, 6, 2, 2),)),
        lambda: ({0: Dim("batch", min=1, max=8)},),
    ),
]
