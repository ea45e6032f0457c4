"""Layers that are drawn at random for the tensor that they get, for `random_networks.py`.

Each function takes a source of random numbers, the tensor, and the tensors before it, and returns a layer; None where there
is none of its kind for such a tensor. PyTorch may still refuse to run it.
"""

import random
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Layer(nn.Module):
    """`compute(x, before, *parts)`, where `before` are the tensors before x."""

    def __init__(self, compute: Callable[..., Tensor], *parts: nn.Module) -> None:
        super().__init__()
        self.compute, self.parts = compute, nn.ModuleList(parts)

    def forward(self, x: Tensor, before: list[Tensor]) -> Tensor:
        return self.compute(x, before, *self.parts)


Draw = Callable[[random.Random, Tensor, list[Tensor]], Layer | None]

ACTIVATIONS: list[Callable[[], nn.Module]] = [
    *[nn.ReLU, nn.ReLU6, nn.SiLU, nn.GELU, nn.Hardswish, nn.Hardsigmoid, nn.Sigmoid, nn.Tanh, nn.ELU, nn.Softplus, nn.Mish],
    *[nn.Identity, nn.PReLU, nn.SELU, nn.Softsign, nn.LogSigmoid, lambda: nn.GELU(approximate="tanh"), lambda: nn.LeakyReLU(0.1)],
]


def chain(*modules: nn.Module) -> Layer:
    return Layer(lambda x, before, module: module(x), nn.Sequential(*modules))


def function(compute: Callable[[Tensor], Tensor]) -> Layer:
    return Layer(lambda x, before: compute(x))


def activation(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    return chain(rng.choice(ACTIVATIONS)())


def convolution(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    channels, dims = x.shape[1], x.dim() - 2
    groups = rng.choice([1, 1, channels, rng.choice([g for g in range(1, channels + 1) if channels % g == 0])])
    out = groups * rng.choice([1, 2, 3, max(1, rng.choice([8, 24, 30, 64]) // groups)])
    kernel = tuple(rng.choice([1, 3, 3, 5, 2]) for _ in range(dims)) if rng.random() < 0.3 else (rng.choice([1, 1, 3, 3, 5, 7, 4]),) * dims
    dilation = rng.choice([1, 1, 1, 2])
    padding = tuple(dilation * (size - 1) // 2 for size in kernel) if rng.random() < 0.7 else rng.choice([0, 1])
    mode = rng.choice(["zeros"] * 8 + ["reflect", "circular"])
    modules = [CONVOLUTIONS[dims](channels, out, kernel, rng.choice([1, 1, 2, 3]), padding, dilation, groups, rng.random() < 0.6, mode)]
    if rng.random() < 0.5:
        modules.append(BATCH_NORMS[dims](out))
    return chain(*modules, rng.choice(ACTIVATIONS)())


def transposed_convolution(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    channels, dims = x.shape[1], x.dim() - 2
    groups = rng.choice([1, 1, channels])
    out = groups * rng.choice([1, 2, max(1, 12 // groups)])
    sizes = {"stride": rng.choice([1, 2, 3]), "padding": rng.choice([0, 1]), "dilation": rng.choice([1, 1, 2])}
    return chain(TRANSPOSED[dims](channels, out, rng.choice([2, 3, 4]), groups=groups, **sizes), rng.choice(ACTIVATIONS)())


def branches(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    """Convolutions and normalizations of one tensor that are added up, as in RepVGG."""
    channels, stride, groups = x.shape[1], rng.choice([1, 1, 2]), rng.choice([1, 1, x.shape[1]])

    def branch() -> nn.Module:
        if stride == 1 and rng.random() < 0.3:
            return rng.choice([nn.Identity, lambda: nn.BatchNorm2d(channels)])()
        kernel = rng.choice([1, 3, 3, 5])
        convolution = nn.Conv2d(channels, channels, kernel, stride, kernel // 2, groups=groups, bias=rng.random() < 0.5)
        return nn.Sequential(convolution, nn.BatchNorm2d(channels)) if rng.random() < 0.7 else convolution

    add = torch.sub if rng.random() < 0.2 else torch.add

    def compute(x: Tensor, before: list[Tensor], first: nn.Module, *others: nn.Module) -> Tensor:
        y = first(x)
        for other in others:
            y = add(y, other(x))
        return y

    return Layer(compute, *[branch() for _ in range(rng.randint(2, 4))])


def normalization(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    channels, dims = x.shape[1], x.dim() - 2
    groups = rng.choice([g for g in range(1, channels + 1) if channels % g == 0])
    made = [BATCH_NORMS[dims](channels), nn.GroupNorm(groups, channels), INSTANCE_NORMS[dims](channels, affine=True)]
    if dims != 2:
        return chain(rng.choice(made))
    last = Layer(lambda x, before, norm: norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2), nn.LayerNorm(channels))
    means = function(lambda x: (x - x.mean((2, 3), keepdim=True)) / (x.std((2, 3), keepdim=True) + 0.1))
    return rng.choice([*[chain(norm) for norm in made], last, means])


def pooling(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    kernel, stride, padding, ceil = rng.choice([2, 3, (2, 3), (3, 2)]), rng.choice([1, 2, None]), rng.choice([0, 1]), rng.random() < 0.4
    return rng.choice(
        [
            function(lambda x: F.max_pool2d(x, kernel, stride, padding, ceil_mode=ceil)),
            function(lambda x: F.avg_pool2d(x, kernel, stride, padding, ceil_mode=ceil, count_include_pad=not ceil)),
            function(lambda x: F.avg_pool2d(x, kernel)),
            function(lambda x: F.adaptive_max_pool2d(x, (5, 3))),
            function(lambda x: F.adaptive_avg_pool2d(x, (4, 7))),
        ]
    )


def squeeze_excite(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    channels, hidden = x.shape[1], rng.choice([2, 4, 13])
    gate = nn.Sequential(
        nn.Conv2d(channels, hidden, 1), rng.choice(ACTIVATIONS)(), nn.Conv2d(hidden, channels, 1), rng.choice([nn.Sigmoid, nn.Hardsigmoid])()
    )
    return Layer(lambda x, before, gate: x * gate(x.mean((2, 3), keepdim=True)), gate)


def resizing(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    mode, factor = rng.choice(["nearest", "bilinear", "bicubic", "area"]), rng.choice([2, 0.5, 1.7])
    pad, fill = rng.choice([(1, 1, 1, 1), (0, 1, 0, 1), (2, -1, 0, 3)]), rng.choice(["constant", "reflect", "replicate", "circular"])
    return rng.choice(
        [
            function(lambda x: F.interpolate(x, scale_factor=factor, mode=mode)),
            function(lambda x: F.interpolate(x, size=(11, 7), mode="bilinear", align_corners=True)),
            function(lambda x: F.pad(x, pad, fill)),
        ]
    )


def rearranging(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    return rng.choice(
        [
            function(lambda x: F.channel_shuffle(x, 2)),
            function(lambda x: F.pixel_shuffle(x, 2)),
            function(lambda x: F.pixel_unshuffle(x, 2)),
            function(lambda x: x.flip([1, 2])),
            function(lambda x: x.roll((1, -2), (2, 3))),
            function(lambda x: x.transpose(2, 3)),
            function(lambda x: x[:, 1:, 1:-1, :-1]),
            function(lambda x: torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2]], 1)),
        ]
    )


def joining(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer | None:
    """Something elementwise with an earlier tensor, or both in one."""
    alike = [i for i, other in enumerate(before) if other.shape == x.shape]
    if not alike:
        return None
    i = rng.choice(alike)
    return rng.choice(
        [
            Layer(lambda x, before: x + before[i]),
            Layer(lambda x, before: before[i] - x),
            Layer(lambda x, before: x * before[i].sigmoid()),
            Layer(lambda x, before: torch.maximum(x, before[i])),
            Layer(lambda x, before: torch.where(before[i] > 0, x, before[i])),
            Layer(lambda x, before: torch.cat([before[i], x, before[i]], 1)),
        ]
    )


def splitting(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer | None:
    dim = rng.choice([1, -1])
    counts = [count for count in (2, 3, 4) if x.shape[dim] % count == 0 and x.shape[dim] > count]
    if not counts:
        return None
    count = rng.choice(counts)
    return rng.choice(
        [
            function(lambda x: (lambda parts: parts[0] * parts[1].sigmoid())(x.chunk(count, dim))),
            function(lambda x: (lambda parts: torch.cat([parts[-1], parts[0].relu(), *parts[1:-1]], dim))(x.chunk(count, dim))),
            function(lambda x: sum(x.chunk(count, dim))),
        ]
    )


def scaling(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    holder = nn.ParameterList([torch.randn(rng.choice([(x.shape[1],) + (1,) * (x.dim() - 2), (), (x.shape[-1],)])) for _ in range(2)])
    return rng.choice([Layer(lambda x, before, p: x * p[0], holder), Layer(lambda x, before, p: x * p[0] + p[1], holder)])


def reducing(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    dim = rng.randint(1, x.dim() - 1)
    return rng.choice(
        [
            function(lambda x: x.softmax(dim) * x.shape[dim]),
            function(lambda x: x * x.logsumexp(dim, keepdim=True).tanh()),
            function(lambda x: x * torch.cat([x.mean(1, True), x.amax(1, True)], 1).sum(1, True).sigmoid()),
            function(lambda x: (x - x.mean(1, True)) * torch.rsqrt(x.var(1, keepdim=True, unbiased=False) + 1e-2)),
        ]
    )


def tokens(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    return rng.choice([function(lambda x: x.flatten(2).transpose(1, 2)), function(lambda x: x.mean(2)), function(lambda x: x.flatten(2))])


def planes(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    return rng.choice([function(lambda x: x.mean(2)), function(lambda x: x.flatten(1, 2)), function(lambda x: x.amax(-1))])


def linear(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    return chain(nn.Linear(x.shape[-1], rng.choice([8, 24, 33, x.shape[-1]]), bias=rng.random() < 0.8), rng.choice(ACTIVATIONS)())


def perceptron(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    size = x.shape[-1]
    body = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, 2 * size), rng.choice(ACTIVATIONS)(), nn.Linear(2 * size, size))
    return Layer(lambda x, before, body: x + body(x), body)


def attention(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    size, causal, written = x.shape[-1], rng.random() < 0.3, rng.random() < 0.5
    heads = rng.choice([heads for heads in (1, 2, 3, 4) if size % heads == 0])

    def compute(x: Tensor, before: list[Tensor], norm: nn.Module, make: nn.Module, out: nn.Module) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = make(norm(x)).reshape(batch, length, 3, heads, size // heads).permute(2, 0, 3, 1, 4).unbind(0)
        if written:
            y = ((q @ k.transpose(-2, -1)) * (size // heads) ** -0.5).softmax(-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return x + out(y.transpose(1, 2).reshape(batch, length, size))

    return Layer(compute, nn.LayerNorm(size), nn.Linear(size, 3 * size), nn.Linear(size, size))


def recurrent(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    kind = rng.choice([nn.LSTM, nn.GRU])
    layer = kind(x.shape[-1], 9, rng.choice([1, 2]), bidirectional=rng.random() < 0.5, batch_first=True)
    return Layer(lambda x, before, layer: layer(x)[0], layer)


def moving(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer:
    return rng.choice(
        [
            function(lambda x: x.transpose(1, 2)),
            function(lambda x: x[:, ::2]),
            function(lambda x: torch.cat([x[:, :1], x], 1)),
            function(lambda x: x.roll(1, 1)),
            function(lambda x: torch.bmm(x, x.transpose(1, 2)).softmax(-1)),
        ]
    )


CONVOLUTIONS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}
BATCH_NORMS = {1: nn.BatchNorm1d, 2: nn.BatchNorm2d, 3: nn.BatchNorm3d}
INSTANCE_NORMS = {1: nn.InstanceNorm1d, 2: nn.InstanceNorm2d, 3: nn.InstanceNorm3d}

ANY: list[Draw] = [activation, joining, joining, splitting, scaling, reducing]
IMAGE: list[Draw] = [branches, pooling, squeeze_excite, resizing, rearranging, tokens]
BY_DIMS: dict[int, list[Draw]] = {
    2: [linear, linear, activation, joining, scaling, splitting],
    3: [linear, perceptron, perceptron, attention, attention, recurrent, moving, convolution, transposed_convolution, normalization, *ANY],
    4: [*[convolution] * 4, *[transposed_convolution] * 2, normalization, *IMAGE, *ANY],
    5: [*[convolution] * 3, transposed_convolution, normalization, planes, *ANY],
}


def draw(rng: random.Random, x: Tensor, before: list[Tensor]) -> Layer | None:
    """Draws a layer of any kind that fits, with statistics as if it were trained."""
    layer = rng.choice(BY_DIMS[x.dim()])(rng, x, before)
    for module in layer.modules() if layer is not None else ():
        if isinstance(module, nn.modules.batchnorm._NormBase) and module.running_mean is not None:
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
        if isinstance(module, nn.modules.batchnorm._NormBase | nn.LayerNorm | nn.GroupNorm) and module.weight is not None:
            nn.init.normal_(module.weight, 1, 0.3)
            nn.init.normal_(module.bias, 0, 0.3)
    return layer
