"""Networks of PyTorch's own layers, from convolutions to recurrent cells."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Classified(nn.Module):
    """Any network that returns logits, trained by cross entropy."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.network(x)
        return F.cross_entropy(logits, label), logits.detach()


class Residual(nn.Module):
    """The basic block of a ResNet."""

    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer)
        self.conv2, self.bn2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer)
        self.shortcut = None
        if stride != 1 or inner != outer:
            self.shortcut = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)), inplace=True)))
        return F.relu(hidden + (x if self.shortcut is None else self.shortcut(x)))


def resnet() -> nn.Module:
    """ResNet-18 with an eighth of its channels."""
    layers: list[nn.Module] = [nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inner = 8
    for outer, stride in ((8, 1), (16, 2), (32, 2), (64, 2)):
        layers += [Residual(inner, outer, stride), Residual(outer, outer, 1)]
        inner = outer
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def mobilenet() -> nn.Module:
    """Depthwise convolutions, squeeze and excitation, hard activations, batch norm in training."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.expand = nn.Sequential(nn.Conv2d(6, 12, 1, bias=False), nn.BatchNorm2d(12), nn.Hardswish())
            self.depth = nn.Sequential(nn.Conv2d(12, 12, 3, 1, 1, groups=12, bias=False), nn.BatchNorm2d(12), nn.ReLU6())
            self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(12, 3, 1), nn.ReLU(), nn.Conv2d(3, 12, 1), nn.Hardsigmoid())
            self.project = nn.Sequential(nn.Conv2d(12, 6, 1, bias=False), nn.BatchNorm2d(6))

        def forward(self, x: Tensor) -> Tensor:
            hidden = self.depth(self.expand(x))
            return x + self.project(hidden * self.squeeze(hidden))

    return nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), Block(), Block(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(6 * 9, 5))


def volumes() -> nn.Module:
    """Convolution and pooling in three dimensions."""
    return nn.Sequential(
        nn.Conv3d(2, 4, 3, padding=1), nn.ELU(), nn.MaxPool3d(2), nn.Conv3d(4, 6, 2), nn.BatchNorm3d(6), nn.Softplus(),
        nn.AvgPool3d(2), nn.Flatten(), nn.Linear(6, 4),
    )  # fmt: skip


def shrinking() -> nn.Module:
    """Convolutions of one dimension with padding modes, and the rarer activations."""
    return nn.Sequential(
        nn.Conv1d(2, 5, 3, padding=1, padding_mode="replicate"), nn.Softshrink(0.1), nn.LayerNorm(9),
        nn.Conv1d(5, 4, 3, padding=2, padding_mode="reflect"), nn.Mish(), nn.AdaptiveMaxPool1d(3), nn.CELU(),
        nn.Conv1d(4, 4, 1), nn.Hardshrink(0.05), nn.Flatten(), nn.Linear(12, 4), nn.LogSigmoid(),
    )  # fmt: skip


class UNet(nn.Module):
    """Down, up with a transposed convolution and by interpolation, skip connections; one label a pixel."""

    def __init__(self) -> None:
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(2, o), nn.LeakyReLU(0.1))  # noqa: E731
        self.down1, self.down2, self.down3 = block(2, 4), block(4, 8), block(8, 12)
        self.up2, self.up1 = nn.ConvTranspose2d(12, 8, 2, 2), block(8 + 4, 4)
        self.merge, self.head = block(16, 8), nn.Conv2d(4, 3, 1)

    def forward(self, x: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        three = self.down3(F.avg_pool2d(two, 2))
        back = self.merge(torch.cat([self.up2(three), two], 1))
        whole = F.interpolate(back, scale_factor=2, mode="bilinear", align_corners=False)
        logits = self.head(self.up1(torch.cat([whole, one], 1)))
        return F.cross_entropy(logits, label), logits.argmax(1)


class Recurrent(nn.Module):
    """Two layers of a recurrent network, in both directions, and a prediction for each step."""

    def __init__(self, cell: type[nn.Module], bidirectional: bool) -> None:
        super().__init__()
        self.cells = cell(5, 6, num_layers=2, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(12 if bidirectional else 6, 3)

    def forward(self, x: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.head(self.cells(x)[0])
        return F.cross_entropy(logits.flatten(0, 1), label.flatten()), logits.detach()


class Temporal(nn.Module):
    """Dilated causal convolutions of a sequence, gated, with weight normalization and instance norm."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.utils.parametrizations.weight_norm(nn.Conv1d(3, 8, 2, dilation=2))
        self.norm, self.head = nn.InstanceNorm1d(4, affine=True), nn.Conv1d(4, 1, 1)

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.norm(F.glu(self.filter(F.pad(x, (2, 0))), 1))
        found = self.head(F.elu(hidden)).squeeze(1)
        return F.mse_loss(found, target), found.detach()


class Experts(nn.Module):
    """A mixture of experts: the best two of four, by topk and gather, with a balancing term."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.experts = nn.Linear(7, 4), nn.Parameter(torch.randn(4, 7, 5) * 0.3)

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        weights = F.softmax(self.gate(x), -1)
        best, index = torch.topk(weights, 2)
        every = torch.einsum("bi,eio->beo", x, self.experts)
        chosen = torch.gather(every, 1, index.unsqueeze(-1).expand(-1, -1, 5))
        found = (chosen * (best / best.sum(-1, keepdim=True)).unsqueeze(-1)).sum(1)
        return F.mse_loss(found, target) + 0.01 * weights.mean(0).var(), found.detach()


class Bag(nn.Module):
    """Embeddings that are pooled with a mask, and an attention over tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.query = nn.Embedding(19, 6, padding_idx=0), nn.Parameter(torch.randn(6))
        self.head = nn.Linear(12, 4)

    def forward(self, ids: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        tokens = self.embed(ids)
        mask = (ids > 0).float().unsqueeze(-1)
        mean = (tokens * mask).sum(1) / mask.sum(1).clamp_min(1)
        scores = (tokens @ self.query).masked_fill(ids == 0, float("-inf")).softmax(-1)
        logits = self.head(torch.cat([mean, (scores.unsqueeze(-1) * tokens).sum(1)], -1))
        return F.nll_loss(F.log_softmax(logits, -1), label), logits.detach()


class Encoder(nn.Module):
    """PyTorch's own transformer layer, with batch norm of its result."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.norm, self.head = nn.BatchNorm1d(8), nn.Linear(8, 3)

    def forward(self, x: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.norm(self.layer(x).mean(1))
        return F.cross_entropy(self.head(hidden), label), hidden.detach()


class Denoiser(nn.Module):
    """A diffusion step: a picture with noise, a time embedding, the noise as target."""

    def __init__(self) -> None:
        super().__init__()
        self.time, self.first = nn.Linear(8, 6), nn.Conv2d(1, 6, 3, padding=1)
        self.norm, self.last = nn.GroupNorm(3, 6), nn.Conv2d(6, 1, 3, padding=1)

    def forward(self, x: Tensor, noise: Tensor, time: Tensor) -> tuple[Tensor, Tensor]:
        rate = torch.exp(-torch.arange(4) / 2) * time.unsqueeze(-1)
        embedded = self.time(torch.cat([rate.sin(), rate.cos()], -1))[:, :, None, None]
        noisy = x * 0.8 + noise * 0.6
        found = self.last(F.silu(self.norm(self.first(noisy)) + embedded))
        return F.mse_loss(found, noise), found.detach()


class Spatial(nn.Module):
    """A spatial transformer: a learned warp by grid_sample, and pixel shuffling."""

    def __init__(self) -> None:
        super().__init__()
        self.theta, self.up = nn.Parameter(torch.tensor([[0.9, 0.1, 0.05], [-0.1, 0.8, 0.1]])), nn.Conv2d(1, 4, 3, padding=1)

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        grid = F.affine_grid(self.theta.expand(x.shape[0], 2, 3), list(x.shape), align_corners=False)
        found = F.pixel_shuffle(self.up(F.grid_sample(x, grid, align_corners=False)), 2)
        return F.l1_loss(found, target), found.detach()


class Physics(nn.Module):
    """Functions of science: a small network through sin, exp, log, powers, cumulative sums and norms."""

    def __init__(self) -> None:
        super().__init__()
        self.rates, self.mix = nn.Parameter(torch.rand(5) + 0.5), nn.Linear(5, 5)

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        wave = torch.sin(self.mix(x)) * torch.exp(-self.rates * x.abs())
        growth = torch.log1p(wave.square()).cumsum(-1) + torch.pow(self.rates, 1.5) + torch.atan2(wave, self.rates)
        found = torch.logsumexp(growth, -1) + torch.linalg.vector_norm(growth, dim=-1) + torch.erf(wave).amax(-1)
        return ((found - target) ** 2).mean() + torch.std(growth), found.detach()


class Gaussian(nn.Module):
    """The likelihood of a Gaussian process: cholesky, triangular solves and log determinant."""

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.noise = nn.Parameter(torch.tensor(0.7)), nn.Parameter(torch.tensor(-1.0))

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        distance = (x.unsqueeze(0) - x.unsqueeze(1)).square().sum(-1)
        kernel = torch.exp(-distance * self.scale.exp()) + torch.eye(x.shape[0]) * self.noise.exp()
        lower = torch.linalg.cholesky(kernel)
        solved = torch.linalg.solve_triangular(lower, y.unsqueeze(-1), upper=False)
        return 0.5 * solved.square().sum() + lower.diagonal().log().sum(), kernel.detach()


class Dropped(nn.Module):
    """Everything that draws numbers while it is trained."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.last = nn.Linear(13, 24), nn.Linear(24, 17), nn.Linear(17, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = F.dropout(self.first(x), 0.3)
        x = F.dropout2d(x.reshape(-1, 6, 2, 2), 0.4).flatten(1)
        x = F.rrelu(x, training=True)
        x = F.alpha_dropout(self.second(x), 0.2)
        x = x + 0.1 * torch.randn_like(x) + 0.1 * torch.rand_like(x)
        return self.last(F.dropout(torch.sigmoid(x), 0.5))
