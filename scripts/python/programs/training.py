"""Corners of training IR: buffers that share memory, statistics in training mode, resized tensors, vmap."""

import torch
from torch import nn

from programs.program import Program, calls


class SharedBuffers(nn.Module):
    """A buffer that is a view of another: a write under one name shows under the other."""

    def __init__(self) -> None:
        super().__init__()
        whole = torch.arange(6.0)
        self.register_buffer("whole", whole)
        self.register_buffer("part", whole[1:5:2])

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.whole.add_(x)
        seen = self.part * 2
        self.part.mul_(-1)
        return seen, self.whole + 0


class InstanceStatistics(nn.Module):
    """Instance normalization in training mode, which updates running statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm1d(3, affine=True, track_running_stats=True)
        self.plain = nn.InstanceNorm1d(3, momentum=0.3, track_running_stats=True)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.plain(self.norm(x))
        return y, self.norm.running_mean + 0, self.norm.running_var + 0, self.plain.running_var + 0


class Resized(nn.Module):
    """Tensors that are made smaller in place keep their first elements."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        y, z = x.clone(), x.clone()
        y.resize_(2, 3)
        y.mul_(2)
        return y, z.resize_as_(x[:, :2]) + 1, x * y.sum()


class Vmap(nn.Module):
    """`torch.vmap` over one, some and nested dimensions."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        dots = torch.vmap(torch.dot)(x, y)
        product = torch.vmap(lambda a, b: a @ b, in_dims=(0, None))(x, y[0])
        linear = torch.vmap(lambda a: nn.functional.linear(a, self.weight).softmax(-1))(x)
        columns = torch.vmap(lambda a, b: (a - b).sum(0), in_dims=(1, 0))(x, y.t())
        nested = torch.vmap(torch.vmap(lambda a, b: a * b + 1))(x, y)
        return dots, product, linear, columns, nested


class AutocastRecurrent(nn.Module):
    """Recurrent layers under autocast: products are bfloat16, states of all but oneDNN's LSTM stay float32."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(5, 3, num_layers=2, bidirectional=True, batch_first=True)
        self.lstm = nn.LSTM(5, 3)
        self.projected = nn.LSTM(5, 7, proj_size=2)
        self.lstm_cell = nn.LSTMCell(5, 3)
        self.gru_cell = nn.GRUCell(3, 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y, h = self.gru(x)
            z, (zh, zc) = self.lstm(x)
            p, (ph, pc) = self.projected(x)
            hidden, memory = self.lstm_cell(x[0])
            grid = nn.functional.affine_grid(x[:2, :2, :3], [2, 1, 3, 5], align_corners=True)
            return y, h, z, zh, zc, p, ph, pc, hidden, memory, self.gru_cell(hidden), grid


class AutocastComposed(nn.Module):
    """What is composed of products under autocast: those of matrices are bfloat16, elementwise ones and sums are not."""

    def __init__(self) -> None:
        super().__init__()
        self.bilinear = nn.Bilinear(5, 5, 3)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        positions = torch.arange(x.shape[0], dtype=x.dtype)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (
                torch.einsum("i,j->ij", positions, y[0]),
                torch.einsum("bi,ji,bj->b", x, y, y[0].expand(3, 3, 5)[:, :, 0]),
                torch.einsum("...i,...i", x, y),
                torch.einsum("i...,ij,i...->j", x, x[:, :2], y),
                torch.tensordot(x, y, 2),
                torch.tensordot(x, y.t(), 1),
                torch.inner(x[0], y[0]),
                torch.inner(x, y),
                torch.linalg.matrix_power(x[:, :3] + 4 * torch.eye(3), -2),
                self.bilinear(x, y),
            )


def _pairs() -> list:
    return calls((torch.randn(3, 4), torch.randn(3, 4)), (torch.randn(3, 4), torch.randn(3, 4)))


PROGRAMS = [
    Program("shared_buffers", SharedBuffers, lambda: calls(*[(torch.full((6,), float(i)),) for i in range(3)])),
    Program("instance_statistics", InstanceStatistics, lambda: calls(*[(torch.randn(4, 3, 5) * 2 + 1,) for _ in range(3)]), training=True),
    Program("resized", Resized, lambda: calls((torch.randn(4, 3),))),
    Program("vmap", Vmap, _pairs),
    Program("autocast_recurrent", AutocastRecurrent, lambda: calls(*[(torch.randn(3, 11, 5),) for _ in range(2)]), plain=True),
    Program("autocast_composed", AutocastComposed, lambda: calls(*[(torch.randn(3, 5), torch.randn(3, 5)) for _ in range(2)]), plain=True),
]
