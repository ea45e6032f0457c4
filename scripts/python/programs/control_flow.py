"""Higher-order operators: branches, loops, scans, maps."""

import torch
from functorch.experimental.control_flow import map as map_rows
from torch import nn
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch.export import Dim

from programs.program import Program, calls


class WhileLoop(nn.Module):
    """Newton's method, until close enough: the number of steps depends on the data."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def unfinished(step, root):
            return ((root * root - x).abs().max() > 1e-3) & (step < 30)

        def improve(step, root):
            return step + 1, (root + x / root) / 2

        return while_loop(unfinished, improve, (torch.zeros((), dtype=torch.int64), x.clone()))


class Scan(nn.Module):
    """A recurrent cell with weights of the module, as a scan over time."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.Linear(8, 5)

    def forward(self, start: torch.Tensor, xs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def step(state, x):
            state = torch.tanh(self.cell(torch.cat([state, x], -1)))
            return state, state * 2

        return scan(step, start, xs, dim=0)


class Map(nn.Module):
    """A function with a captured tensor, row by row."""

    def forward(self, xs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return map_rows(lambda x, y: torch.sin(x) * y + x.sum(), xs, y)


class AssociativeScan(nn.Module):
    """A prefix combination of pairs."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (a, b), dim=0, combine_mode="generic")


class NestedCond(nn.Module):
    """Branches in a branch, several operands and results, weights of the module, integer and bool predicates."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def inner_true(x):
            return self.up(x), x.sum(0)

        def inner_false(x):
            return self.down(x) - 1, x.amax(0)

        def outer_true(x, n):
            return torch.cond(n > 3, inner_true, inner_false, (x,))

        def outer_false(x, n):
            return x * n, x.mean(0)

        return torch.cond(x.sum() > 0, outer_true, outer_false, (x, n))


class CondShape(nn.Module):
    """A predicate on a symbolic size stays in the graph."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.shape[0] > 4, lambda x: x.cos() * 2, lambda x: x.sin(), (x,))


class CondWrites(nn.Module):
    """Branches write to buffers, one inside another, and train a normalization."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        def many(x):
            self.count.add_(1)
            return self.norm(x) * self.count

        def few(x):
            return x + self.mean

        def up(x):
            return torch.cond(x[0, 0] > 1, many, few, (x,))

        def down(x):
            self.mean[1:].copy_(x.mean(0)[1:])
            return x - self.count

        result = torch.cond(x.sum() > 0, up, down, (x,))
        self.count.mul_(2)
        return result, self.count * 1, self.mean + 0


class WhileWrites(nn.Module):
    """A loop's body writes to buffers, of one of which its condition reads, to a view of a result, and in a branch."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(3))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        doubled = x * 2
        row = doubled[0]

        def add(x):
            self.mean[1:].add_(x.mean(0)[1:])
            return x - self.mean

        def more(i, x):
            return (i < 4) & (self.count.sum() < 20)

        def body(i, x):
            self.count.add_(1)
            row.mul_(2)
            return i + 1, torch.cond(x.sum() > 0, add, lambda x: x + row, (x,))

        steps, result = torch._higher_order_ops.while_loop(more, body, (torch.tensor(0), x))
        self.count.sub_(0.5)
        return steps, result, doubled, self.count * 1, self.mean + 0


def _n(value: int) -> torch.Tensor:
    return torch.tensor(value)


PROGRAMS = [
    Program("while_loop", WhileLoop, lambda: calls((torch.tensor([2.0, 9.0, 144.0]),), (torch.tensor([1.0, 1.0, 1.0]),))),
    Program("scan", Scan, lambda: calls((torch.randn(2, 5), torch.randn(7, 2, 3)))),
    Program("map", Map, lambda: calls((torch.randn(5, 3), torch.randn(3)))),
    Program("associative_scan", AssociativeScan, lambda: calls((torch.rand(7, 2), torch.rand(7, 2)))),
    # Of an even number of rows some steps have none.
    Program("associative_scan_even", AssociativeScan, lambda: calls((torch.rand(8, 2), torch.rand(8, 2)))),
    Program("nested_cond", NestedCond, lambda: calls((torch.ones(2, 3), _n(5)), (torch.ones(2, 3), _n(1)), (-torch.ones(2, 3), _n(2)))),
    Program(
        "cond_writes",
        CondWrites,
        lambda: calls((torch.ones(4, 3),), (torch.randn(4, 3) + 3,), (torch.randn(4, 3) - 3,), (torch.randn(4, 3) + 4,), (torch.ones(4, 3),)),
        training=True,
        plain=True,
        gradients=False,
    ),
    Program(
        "while_writes",
        WhileWrites,
        lambda: calls((torch.ones(4, 3),), (torch.randn(4, 3) + 3,), (torch.randn(4, 3) - 3,), (torch.ones(4, 3),)),
        training=True,
        plain=True,
        gradients=False,
    ),
    Program("cond_shape", CondShape, lambda: calls((torch.randn(7, 2),), (torch.randn(3, 2),)), lambda: {"x": {0: Dim("rows", min=1, max=99)}}),
]
