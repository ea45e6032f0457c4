"""Writes `tests/fixtures/gradient-programs.json.gz`: small programs whose gradients go through complex numbers and loops.

    python scripts/python/gradient_programs.py [--check]

Each module returns its loss. A row has its name, the program as `torch.export.save` writes it, the inputs, the loss, and the
gradients of parameters and floating point inputs by name, which autograd computes in float64. Complex numbers are written as
their real and imaginary parts, in turn.
"""

import base64
import copy
import gzip
import io
import json
import pathlib
import sys

import torch
from torch import Tensor, nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch.nn import functional as F

OUT = pathlib.Path(__file__).parents[2] / "tests/fixtures/gradient-programs.json.gz"


class Rotary(nn.Module):
    """Attention whose queries and keys are rotated as complex numbers, as in Llama."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(12, 12) for _ in range(4))
        turns = torch.outer(torch.arange(5.0), 10000.0 ** (-torch.arange(3.0) / 3))
        self.register_buffer("freqs", torch.polar(torch.ones_like(turns), turns))

    def forward(self, x: Tensor) -> Tensor:
        def split(layer: nn.Linear) -> Tensor:
            return layer(x).reshape(2, 5, 2, 6)

        def turned(x: Tensor) -> Tensor:
            pairs = torch.view_as_complex(x.reshape(2, 5, 2, 3, 2))
            return torch.view_as_real(pairs * self.freqs[:, None]).flatten(3).transpose(1, 2)

        mixed = F.scaled_dot_product_attention(turned(split(self.q)), turned(split(self.k)), split(self.v).transpose(1, 2), is_causal=True)
        return self.o(mixed.transpose(1, 2).flatten(2)).pow(2).mean()


class Operator(nn.Module):
    """A layer of a Fourier neural operator: complex weights for the lowest frequencies."""

    def __init__(self) -> None:
        super().__init__()
        self.lift, self.head = nn.Linear(1, 3), nn.Linear(3, 1)
        self.weight = nn.Parameter(torch.randn(3, 3, 4, dtype=torch.cfloat))

    def forward(self, x: Tensor) -> Tensor:
        h = self.lift(x).transpose(1, 2)
        low = torch.fft.rfft(h)[..., :4]
        mixed = torch.einsum("bix,iox->box", low, self.weight)
        whole = torch.zeros(2, 3, 6, dtype=torch.cfloat).to(mixed.dtype)
        whole[..., :4] = mixed
        return self.head(F.gelu(torch.fft.irfft(whole, n=11) + h).transpose(1, 2)).pow(2).mean()


class StateSpace(nn.Module):
    """A diagonal state space model, whose kernel is convolved with the signal by transforms."""

    def __init__(self) -> None:
        super().__init__()
        self.log_dt, self.log_real = nn.Parameter(torch.randn(3) - 2), nn.Parameter(torch.randn(3, 2) * 0.3)
        self.imag, self.c = nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(3, 2, 2))

    def forward(self, u: Tensor) -> Tensor:
        a = -torch.exp(self.log_real) + 1j * self.imag
        step = a * torch.exp(self.log_dt)[:, None]
        c = torch.view_as_complex(self.c) * (torch.exp(step) - 1.0) / a
        times = torch.exp(step[..., None] * torch.arange(8))
        kernel = 2 * torch.einsum("hn,hnl->hl", c, times).real
        y = torch.fft.irfft(torch.fft.rfft(u, n=16) * torch.fft.rfft(kernel, n=16), n=16)[..., :8]
        return (y - u).pow(2).mean()


class Of(nn.Module):
    """A function of a linear layer."""

    def __init__(self, function, outputs: int = 16) -> None:
        super().__init__()
        self.linear, self.function = nn.Linear(5, outputs), function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.linear(x))


def complex_of(x: Tensor) -> Tensor:
    return torch.view_as_complex(x.reshape(x.shape[0], -1, 2))


def magnitudes(x: Tensor) -> Tensor:
    """The loss of a vocoder: magnitudes of short transforms, and their logarithms."""
    window = torch.hann_window(8).to(x.dtype)
    spectrum = torch.stft(x, 8, hop_length=3, window=window, return_complex=True).abs()
    return spectrum.mean() + (spectrum.clamp(min=1e-5).log() - 0.5).abs().mean()


def masked(x: Tensor) -> Tensor:
    """A mask over a short transform, and the signal again."""
    window = torch.hann_window(8).to(x.dtype)
    spectrum = torch.stft(x, 8, hop_length=2, window=window, return_complex=True)
    again = torch.istft(spectrum * torch.sigmoid(spectrum.abs()), 8, hop_length=2, window=window, length=x.shape[-1])
    return (again - x).pow(2).mean() + again.sum() / 7


def images(x: Tensor) -> Tensor:
    image = x.reshape(3, 4, 4)
    mixed = torch.fft.fft2(image).real + torch.fft.fftshift(torch.fft.ifft2(image, norm="ortho"), dim=(-2, -1)).imag
    half = torch.fft.rfft2(image, norm="forward")
    again = torch.fft.irfftn(half * half.conj(), s=(5, 6), dim=(-2, -1))
    return mixed.sin().sum() + half.abs().pow(2).sum() + again.cos().sum()


def hermitian(x: Tensor) -> Tensor:
    z = complex_of(x)
    return torch.fft.hfft(z, n=12).sin().sum() + torch.fft.ihfft(x).abs().sum() + torch.fft.ifft(z, n=10).angle().sum()


def arithmetic(x: Tensor) -> Tensor:
    a, b = complex_of(x).chunk(2, 1)
    z = (a * b - 2j * a) / (b + (0.5 - 1j)) + 3 / (b * b.conj() + 1)
    return (z.abs() + z.angle() + (z * torch.sgn(a)).real + (a - b).imag.exp()).sum() + (z - a).abs().pow(2).mean()


def functions(x: Tensor) -> Tensor:
    z = complex_of(x)
    parts = [torch.exp(z), torch.log(z + 3), torch.sqrt(z), z.sin() * z.cosh(), torch.tanh(z), z**3, z ** (0.5 + 1j), 2**z, z.sigmoid(), 1 / z]
    return torch.stack([torch.view_as_real(part).sin().sum() for part in parts]).sum()


def at_zero(x: Tensor) -> Tensor:
    """Where absolute values, angles and signs have no derivative, there is none."""
    z = complex_of(x.relu())
    return (z.abs() + z.angle() + z.sgn().real + (z**2).imag).sum() + torch.linalg.vector_norm(z - z)


def exponentials(x: Tensor) -> Tensor:
    """Orthogonal matrices, and others, in a batch."""
    square = x.reshape(3, 4, 4)
    turn = torch.matrix_exp(square - square.mT)
    return turn[:, 0].sin().sum() + (torch.linalg.matrix_exp(square * 0.5) @ turn).pow(2).mean()


def products(x: Tensor) -> Tensor:
    z = complex_of(x).reshape(3, 2, 4)
    square = z @ z.mH
    return (torch.matmul(square, z).abs().sum() + torch.vdot(z[0, 0], z[1, 1]).real + torch.einsum("bij,bkj->bik", z, z).imag.sum()) / 9


def arranged(x: Tensor) -> Tensor:
    z = complex_of(x)
    both = torch.cat([z, x[:, :3].to(z.dtype), torch.polar(x[:, :2].exp(), x[:, 2:4])], 1)
    chosen = torch.where(both.real > 0, both.roll(1, 1), both.flip(1) * 1j)[:, ::2]
    indexed = chosen[torch.tensor([2, 0, 2])].masked_fill(chosen.imag > 1, 2 - 1j)
    norms = both.norm() + sum(torch.linalg.vector_norm(both, order, dim=1).sum() for order in (0, 1, 3, float("inf")))
    return indexed.cumsum(1).abs().sum() + (indexed.mean(0) * indexed.prod(1).sum()).real.sum() + both.std() + norms


class Recurrent(nn.Module):
    """A recurrent network as `scan`: of the weights in its step, and of the initial state."""

    def __init__(self) -> None:
        super().__init__()
        self.input, self.hidden = nn.Linear(3, 4), nn.Linear(4, 4)
        self.first = nn.Parameter(torch.randn(2, 4))

    def forward(self, x: Tensor) -> Tensor:
        def step(h: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
            h = torch.tanh(self.input(row) + self.hidden(h))
            return h, (h * row.sum()).clone()

        last, every = scan(step, self.first, x, dim=0)
        return last.pow(2).sum() + every.sin().mean()


class Decaying(nn.Module):
    """`scan` over two sequences with two states, none of which the step reads from outside."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        def step(carry: tuple[Tensor, Tensor], row: tuple[Tensor, Tensor]) -> tuple[tuple[Tensor, Tensor], Tensor]:
            (a, b), (u, v) = carry, row
            return (a * 0.5 + u * v, b + a.sin()), a * b

        zero = torch.zeros(4).to(x.dtype)
        (a, b), every = scan(step, (zero, zero.clone()), (x, y), dim=0)
        return a.sum() + b.pow(2).sum() + every.mean()


class Mapped(nn.Module):
    """`map` over rows, with weights, and `vmap`."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        rows = map_rows(lambda row: self.linear(row).sin(), x)
        alone = map_rows(lambda row: row.cos() * row, x)
        return rows.sum() + torch.vmap(lambda row: (row * row).sum().sin())(alone).sum()


def modules() -> dict[str, tuple[nn.Module, tuple[Tensor, ...]]]:
    x = torch.randn(3, 5)
    return {
        "rotary attention": (Rotary(), (torch.randn(2, 5, 12),)),
        "fourier operator": (Operator(), (torch.randn(2, 11, 1),)),
        "state space model": (StateSpace(), (torch.randn(2, 3, 8),)),
        "magnitudes of a spectrum": (Of(lambda y: torch.fft.rfft(y).abs().pow(2).mean() + torch.fft.rfft(y, n=9).abs().sum()), (x,)),
        "magnitudes of short transforms": (Of(magnitudes, 24), (x,)),
        "masked short transforms": (Of(masked, 24), (x,)),
        "transforms of images": (Of(images), (x,)),
        "transforms of Hermitian signals": (Of(hermitian), (x,)),
        "arithmetic": (Of(arithmetic), (x,)),
        "functions": (Of(functions), (x,)),
        "at zero": (Of(at_zero), (x,)),
        "exponentials of matrices": (Of(exponentials), (x,)),
        "products of matrices": (Of(products), (x,)),
        "views and indices": (Of(arranged), (x,)),
        "scan: a recurrent network": (Recurrent(), (torch.randn(5, 2, 3),)),
        "scan: two sequences": (Decaying(), (torch.randn(5, 4), torch.randn(5, 4))),
        "map and vmap": (Mapped(), (torch.randn(3, 4),)),
    }


def wide(tensor: Tensor) -> Tensor:
    return tensor.detach().to(torch.complex128 if tensor.is_complex() else torch.float64)


def gradients(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss and the gradients by name, in float64."""
    module = copy.deepcopy(module)
    for tensor in (*module.parameters(), *module.buffers()):
        tensor.data = wide(tensor)
    args = tuple(wide(arg).requires_grad_() for arg in args)
    loss = module(*args)
    loss.backward()
    named = {**{f"input.{i}": arg for i, arg in enumerate(args)}, **dict(module.named_parameters())}
    return loss, {name: tensor.grad for name, tensor in named.items()}


def encoded(tensor: Tensor) -> list:
    parts = torch.view_as_real(tensor.detach().resolve_conj()) if tensor.is_complex() else tensor.detach()
    return [list(tensor.shape), base64.b64encode(parts.float().contiguous().numpy().tobytes()).decode()]


def row(name: str, module: nn.Module, args: tuple[Tensor, ...]) -> list:
    loss, found = gradients(module, args)
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, args), file)
    program = base64.b64encode(file.getvalue()).decode()
    return [name, program, [encoded(arg) for arg in args], loss.item(), {key: encoded(grad) for key, grad in found.items()}]


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    rows = [row(name, *made) for name, made in modules().items()]
    # Archives of the same program differ in bytes that mean nothing.
    if "--check" in sys.argv:
        with gzip.open(OUT) as file:
            known = json.load(file)
        if [[name, *rest] for name, _, *rest in known] != [[name, *rest] for name, _, *rest in json.loads(json.dumps(rows))]:
            sys.exit(f"{OUT.name} has other programs or numbers: run this without --check")
        return
    OUT.write_bytes(gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), mtime=0))
    print(len(rows), "programs,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
