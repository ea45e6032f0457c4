"""Arguments that are easy to lose: keyword, optional, defaulted, lists of dims, dtypes."""

import torch
import torch.nn.functional as F
from torch import nn

from programs.program import Program, calls


class Reductions(nn.Module):
    """Several dims, keepdim, dims that are not the last, dtypes of the result."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            x.mean((2, 3)),
            x.mean((0, 2), keepdim=True),
            x.sum((1, 3)),
            x.amax((0, 1), keepdim=True),
            x.amin(-1),
            x.argmax(1),
            x.argmin(2, keepdim=True),
            x.sum(1, dtype=torch.float64),
            n.sum(),
            n.to(torch.int32).sum(0),
            n.prod(0),
            x.var((2, 3), unbiased=False),
            x.std(0, correction=0),
            *x.max(1),
            *x.sort(1, descending=True),
            *x.topk(2, 2, largest=False, sorted=True),
            x.softmax(1),
            x.log_softmax(0),
            x.cumsum(2),
        )


class Arithmetic(nn.Module):
    """alpha and beta, numbers beside tensors of each dtype, rounding modes, infinite constants."""

    def forward(self, x: torch.Tensor, n: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mask = torch.full((3, 3), float("-inf")).triu(1)
        return (
            torch.add(x, x, alpha=3),
            torch.sub(x, 2, alpha=0.5),
            torch.addmm(x, x, x, beta=0.5, alpha=-1),
            torch.baddbmm(x[None], x[None], x[None], beta=0),
            n + 1,
            n * 2,
            n / 2,
            n // 2,
            n % 3,
            2 - n,
            1 / x,
            n + 0.5,
            h * 3,
            h * n,
            h + x,
            n > 1.5,
            n**2,
            2**n,
            torch.div(x, 0.7, rounding_mode="floor"),
            (x + mask).softmax(-1),
            x.masked_fill(mask != 0, float("-inf")),
            torch.where(x > 0, x, -1.0),
            x.clamp(max=0.5),
            x.to(torch.float64),
            x.to(torch.int64),
            x.to(torch.bfloat16),
            torch.arange(3) * n[0, 0],
        )


class Optionals(nn.Module):
    """Optional tensors that are absent, keyword-only arguments, modules without weights."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(3, affine=False)
        nn.init.uniform_(self.norm.running_mean)
        nn.init.uniform_(self.norm.running_var, 0.5, 2)
        self.instance = nn.InstanceNorm2d(3, track_running_stats=True)
        nn.init.uniform_(self.instance.running_mean)
        self.bias = nn.Parameter(torch.randn(5))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        q = x.flatten(0, 1)
        return (
            self.norm(x),
            self.instance(x),
            F.layer_norm(x, (5,), None, self.bias, 1e-3),
            F.scaled_dot_product_attention(q, q, q, scale=0.7),
            F.scaled_dot_product_attention(q, q, q, is_causal=True),
            F.gelu(x, approximate="tanh"),
            x[:, [2, 0]],
            x[..., [0, 1], [3, 2]],
            F.pad(x, (1, 2, 0, 1), mode="reflect"),
            F.interpolate(x, scale_factor=2.0, mode="bilinear"),
            F.interpolate(x, size=(3, 7)),
            F.conv2d(x, x[:2], stride=(1, 2)),
            torch.roll(x, (1, -1), (2, 3)),
            torch.einsum("bchw,bdhw->bcd", x, x),
        )


class Questions(nn.Module):
    """Asks what tracing answers; the questions stay in training IR without results."""

    def forward(self, x, i):
        wide = torch.promote_types(x.dtype, i.dtype)
        exact = torch.can_cast(x.dtype, i.dtype) or torch.is_same_size(x, i)
        return x.to(torch.result_type(x, 2.5)) + i.to(wide) * (3 if exact else 2)


PROGRAMS = [
    Program("reductions", Reductions, lambda: calls((torch.randn(2, 3, 5, 4), torch.randint(-3, 4, (2, 3))))),
    Program("arithmetic", Arithmetic, lambda: calls((torch.randn(3, 3), torch.randint(1, 5, (3, 3)), torch.randn(3, 3).half()))),
    Program("optionals", Optionals, lambda: calls((torch.randn(2, 3, 4, 5),))),
    Program("questions", Questions, lambda: calls((torch.randn(3), torch.arange(3)))),
]
