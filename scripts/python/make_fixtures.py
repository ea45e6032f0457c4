"""Small programs in both dialects, written by whichever PyTorch runs this: `python make_fixtures.py OUT`.

OUT is `tests/fixtures/torch-RELEASE`. The files are those of `pt2files.py`; tensors that a program beside OUT has
already, of the other dialect or of another release, are not written again. Weights and inputs follow from a seed.
"""

import glob
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

from pt2files import Call, export_dialects, record, save_program


def emit(folder, name, module, *calls, dynamic=None, dialects=("", "_aten")):
    """Exports a module in the dialects; what an old exporter refuses is said and left out."""
    module = module.eval()
    recording = record(module, calls)
    for suffix in dialects:
        try:
            program = export_dialects(module, calls[0], dynamic)[suffix]()
            others = (path.removesuffix(".pt2") for path in sorted(glob.glob(f"{folder}/../torch-*/{name}*.pt2")))
            path = save_program(folder, name + suffix, program, recording, list(others))
            print(f"{name + suffix}: {os.path.getsize(path)} bytes")
        except Exception as error:
            print(f"{name + suffix}: not exportable here: {type(error).__name__}: {str(error).splitlines()[0][:120]}")


class Mlp(nn.Module):
    def __init__(s):
        super().__init__()
        s.a, s.b = nn.Linear(7, 11), nn.Linear(11, 3)

    def forward(s, x):
        return s.b(torch.relu(s.a(x)))


class Conv(nn.Module):
    def __init__(s):
        super().__init__()
        s.c, s.n, s.d = nn.Conv2d(3, 8, 3, padding=1, stride=2), nn.BatchNorm2d(8), nn.Conv2d(8, 8, 3, padding=1, groups=8)
        s.h = nn.Linear(8, 5)
        nn.init.uniform_(s.n.running_mean, -1, 1), nn.init.uniform_(s.n.running_var, 0.3, 3)
        nn.init.uniform_(s.n.weight), nn.init.uniform_(s.n.bias)

    def forward(s, x):
        x = F.relu(s.n(s.c(x)), inplace=True)
        x = F.hardswish(s.d(x) + x)
        return s.h(F.adaptive_avg_pool2d(F.max_pool2d(x, 3, 2, 1), 1).flatten(1))


class Strides(nn.Module):
    """Weights that are views: transposed, sliced, expanded, channels-last, tied, empty, of many dtypes."""

    def __init__(s):
        super().__init__()
        base = torch.randn(100)
        s.slice = nn.Parameter(base[90:95])
        s.trans = nn.Parameter(torch.randn(5, 7).t())
        s.tied = nn.Linear(5, 5, bias=False)
        s.tied2 = nn.Linear(5, 5, bias=False)
        s.tied2.weight = s.tied.weight
        s.register_buffer("exp", torch.randn(3).expand(5, 3))
        s.register_buffer("ids", torch.tensor([4, 2, 0], dtype=torch.int64))
        s.register_buffer("i8", torch.tensor([-3, 7, 100, -128, 127], dtype=torch.int8))
        s.register_buffer("u8", torch.tensor([0, 255, 7, 9, 200], dtype=torch.uint8))
        s.register_buffer("f16", torch.randn(5).half())
        s.register_buffer("bf", torch.randn(5).bfloat16())
        s.register_buffer("f64", torch.randn(5).double())
        s.register_buffer("mask", torch.tensor([True, False, True, True, False]))
        s.register_buffer("empty", torch.empty(0, 5))
        s.register_buffer("temp", torch.randn(5), persistent=False)
        s.register_buffer("cl", torch.randn(2, 5, 3, 3).to(memory_format=torch.channels_last))

    def forward(s, x):
        y = s.tied2(s.tied(x)) @ s.trans.t()
        z = x[:, s.ids] * s.slice[s.ids] + (s.exp.sum() + s.cl.mean((0, 2, 3))[s.ids])
        w = torch.where(s.mask, s.f16.float(), s.bf.float()) + s.i8.float() / s.u8.clamp(min=1).float() + s.temp
        return y, z, w.double() + s.f64, torch.cat([s.empty, x])


class Consts(nn.Module):
    def forward(s, x):
        m = torch.tensor([[0.0, float("-inf")], [0.0, 0.0]])
        a = torch.softmax(x @ x.transpose(-1, -2) + m, -1)
        return a @ x, x[:, 1:], x[..., ::2], F.gelu(x, approximate="tanh"), x.sum((0, 2), keepdim=True), (x > 0).any(-1)


class Trees(nn.Module):
    def forward(s, pair, *, scale: float = 2.0, named=None):
        a, b = pair["left"], pair["right"][0]
        out = {"sum": a + b, "list": [a * scale, (b, a.shape[0])]}
        if named is not None:
            out["named"] = named - 1
        return out


class Buffers(nn.Module):
    def __init__(s):
        super().__init__()
        s.register_buffer("count", torch.zeros((), dtype=torch.int64))
        s.register_buffer("cache", torch.zeros(2, 6, 4))

    def forward(s, x, pos):
        s.count.add_(1)
        s.cache.index_copy_(1, pos, x)
        return s.cache * 2 + s.count, s.count.clone()


class Lists(nn.Module):
    def forward(s, x):
        a, b, c = x.chunk(3, 1)
        p, q = torch.split(x, [2, x.shape[1] - 2], 1)
        v, i = torch.topk(x, 2, dim=1, largest=False)
        w, j = torch.sort(x, dim=0, descending=True, stable=True)
        return a + b * c.mean(), p, q.cumsum(1), v, i, w, j, torch.stack(x.unbind(0)[:2]), x.argmax(1), x.var(1, correction=0)


class InPlace(nn.Module):
    def forward(s, x):
        y = x.clone()
        y[:, 1:3].copy_(x[:, :2] * 10)
        y[0].zero_()
        y.view(-1)[::3].add_(1, alpha=3)
        y.masked_fill_(y < -1, 0.5)
        return y, x


class Dynamic(nn.Module):
    def __init__(s):
        super().__init__()
        s.e, s.l = nn.Embedding(13, 8), nn.Linear(8, 8)

    def forward(s, ids):
        b, t = ids.shape
        x = s.l(s.e(ids)).reshape(b, t * 2, 4)
        pos = torch.arange(t * 2).unsqueeze(-1) // 2
        return (x * pos).view(b, -1), x.new_full((t + 1, 2), 0.5), x[:, -1]


class Attention(nn.Module):
    def __init__(s):
        super().__init__()
        s.q, s.o, s.n = nn.Linear(12, 36), nn.Linear(12, 12), nn.LayerNorm(12, elementwise_affine=True)

    def forward(s, x):
        b, t, d = x.shape
        q, k, v = s.q(s.n(x)).view(b, t, 3, 2, 6).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        z = F.scaled_dot_product_attention(q, k, v, scale=0.7)
        return s.o((y + z).transpose(1, 2).reshape(b, t, d)), F.layer_norm(x, (12,), None, s.n.bias, 1e-3)


class Cond(nn.Module):
    def forward(s, x):
        return torch.cond(x.sum() > 0, lambda t: t * 2 + 1, lambda t: t - 3, (x,))


class NoGrad(nn.Module):
    def __init__(s):
        super().__init__()
        s.l = nn.Linear(4, 4)

    def forward(s, x):
        with torch.no_grad():
            y = s.l(x).sigmoid()
        return y * x


class DataDependent(nn.Module):
    def forward(s, x):
        nz = torch.nonzero(x > 0)
        n = (x > 1).sum().item()
        torch._check(n >= 0)
        return x[x > 0], nz, torch.zeros(n + 1)


class Numerics(nn.Module):
    def forward(s, i, f):
        return (
            i * 2.0, i / 3, i // -4, torch.remainder(i, -3), torch.div(f, -0.7, rounding_mode="floor"), i.float().mean(), f.pow(2.5),
            torch.add(f, i, alpha=-2), f.clamp(-0.5, None), (i == 3), f.to(torch.float16), f.to(torch.int32), torch.bitwise_and(i, 5),
            f.exp().log1p(), torch.atan2(f, f + 1),
        )  # fmt: skip


class Lstm(nn.Module):
    def __init__(s):
        super().__init__()
        s.r, s.g = nn.LSTM(5, 7, 2, batch_first=True, bidirectional=True), nn.GRU(14, 3)

    def forward(s, x):
        y, (h, c) = s.r(x)
        return s.g(y)[0], h, c


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    dim = torch.export.Dim
    torch.manual_seed(20)
    emit(folder, "mlp", Mlp(), Call((torch.randn(5, 7),)), dialects=("",))
    torch.manual_seed(21)
    emit(folder, "conv", Conv(), Call((torch.randn(2, 3, 19, 23),)))
    emit(folder, "strides", Strides(), Call((torch.randn(3, 5),)))
    emit(folder, "consts", Consts(), Call((torch.randn(3, 2, 5),)))
    pair = {"left": torch.randn(3, 2), "right": [torch.randn(3, 2)]}
    emit(folder, "trees", Trees(), Call((pair,), {"named": torch.randn(2)}))
    writes = [(torch.randn(2, 2, 4), torch.tensor([1, 4])), (torch.randn(2, 2, 4), torch.tensor([5, 0]))]
    emit(folder, "buffers", Buffers(), *map(Call, writes))
    emit(folder, "lists", Lists(), Call((torch.randn(5, 7),)))
    emit(folder, "inplace", InPlace(), Call((torch.randn(3, 4),)))
    sizes = {"ids": {0: dim("b", min=1, max=64), 1: dim("t", min=2, max=128)}}
    ids = (Call((torch.randint(0, 13, shape),)) for shape in ((3, 5), (1, 2), (7, 31)))
    emit(folder, "dynamic", Dynamic(), *ids, dynamic=sizes)
    emit(folder, "attention", Attention(), Call((torch.randn(2, 5, 12),)))
    emit(folder, "cond", Cond(), Call((torch.ones(3, 2),)), Call((-torch.ones(3, 2),)))
    emit(folder, "nograd", NoGrad(), Call((torch.randn(3, 4),)))
    emit(folder, "datadep", DataDependent(), Call((torch.randn(4, 3) * 2,)), Call((-torch.ones(4, 3),)))
    emit(folder, "numerics", Numerics(), Call((torch.arange(-6, 6).reshape(3, 4), torch.randn(3, 4))))
    emit(folder, "lstm", Lstm(), Call((torch.randn(2, 3, 5),)))


if __name__ == "__main__":
    main()
