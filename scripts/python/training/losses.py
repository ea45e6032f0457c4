"""Modules of many losses: each takes what a training step is called with, and returns the loss and its predictions."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Detection(nn.Module):
    """A detector of one scale whose boxes are matched already: focal loss of classes, smooth L1 and GIoU of boxes."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 12, 3, 2, 1), nn.SiLU())
        self.classes, self.boxes = nn.Conv2d(12, 3, 3, padding=1), nn.Conv2d(12, 4, 3, padding=1)

    def forward(self, image: Tensor, label: Tensor, box: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.trunk(image)
        logits = self.classes(hidden).flatten(2).transpose(1, 2)
        size = F.softplus(self.boxes(hidden).flatten(2).transpose(1, 2))
        found = torch.cat([size[..., :2] - size[..., 2:], size[..., :2] + size[..., 2:]], -1)
        probability = torch.sigmoid(logits)
        right = torch.where(label > 0, probability, 1 - probability)
        focal = (-((1 - right) ** 2) * torch.log(right.clamp_min(1e-6))).mean()
        low, high = torch.maximum(found[..., :2], box[..., :2]), torch.minimum(found[..., 2:], box[..., 2:])
        both = (high - low).clamp(min=0).prod(-1)
        area = lambda b: (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])  # noqa: E731
        union = area(found) + area(box) - both
        hull = (torch.maximum(found[..., 2:], box[..., 2:]) - torch.minimum(found[..., :2], box[..., :2])).prod(-1)
        giou = both / (union + 1e-6) - (hull - union) / (hull + 1e-6)
        return focal + F.smooth_l1_loss(found, box) + (1 - giou).mean(), found.detach()


class Contrastive(nn.Module):
    """InfoNCE of two views, with a learned temperature."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(11, 16), nn.GELU(), nn.Linear(16, 7))
        self.temperature = nn.Parameter(torch.tensor(1.5))

    def forward(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        a, b = F.normalize(self.encoder(left), dim=-1), F.normalize(self.encoder(right), dim=-1)
        logits = a @ b.T * self.temperature.exp()
        labels = torch.arange(left.shape[0])
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2, logits.detach()


class Variational(nn.Module):
    """A variational autoencoder whose noise is an input: reconstruction and KL divergence."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.decode = nn.Linear(13, 10), nn.Linear(5, 13)

    def forward(self, x: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.encode(x).tanh().chunk(2, -1)
        made = torch.sigmoid(self.decode(mean + noise * torch.exp(0.5 * log_variance)))
        divergence = -0.5 * torch.mean(1 + log_variance - mean.square() - log_variance.exp())
        return F.binary_cross_entropy(made, x.sigmoid()) + divergence, made.detach()


class Compared(nn.Module):
    """One trunk and a loss of torch.nn.functional."""

    def __init__(self, loss, outputs: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(9, 17), nn.Tanh(), nn.Linear(17, outputs))
        self.loss = loss

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        found = self.trunk(x)
        return self.loss(found, target), found.detach()


class Triplet(nn.Module):
    """The margin between three embeddings, and a cosine embedding loss."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(9, 8), nn.PReLU(), nn.Linear(8, 5))

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> tuple[Tensor, Tensor]:
        a, p, n = self.encoder(anchor), self.encoder(positive), self.encoder(negative)
        same = torch.ones(anchor.shape[0])
        loss = F.triplet_margin_loss(a, p, n) + F.cosine_embedding_loss(a, p, same) + F.cosine_embedding_loss(a, n, -same)
        return loss, a.detach()


def distillation(found: Tensor, target: Tensor) -> Tensor:
    soft = F.kl_div(F.log_softmax(found / 2, -1), F.softmax(target / 2, -1), reduction="batchmean")
    return soft + 0.1 * F.mse_loss(found, target)


def classes(found: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(found, target, label_smoothing=0.1, weight=torch.tensor([1.0, 2.0, 0.5, 1.0, 1.5]))


def several(found: Tensor, target: Tensor) -> Tensor:
    logits = F.binary_cross_entropy_with_logits(found, target, pos_weight=torch.tensor(2.0))
    return logits + F.multilabel_soft_margin_loss(found, target)


def robust(found: Tensor, target: Tensor) -> Tensor:
    return F.huber_loss(found, target, delta=0.3) + F.l1_loss(found, target)
