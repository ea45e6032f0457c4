"""All modules that are trained, with the inputs of one step."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training import language, losses, networks


class Step(NamedTuple):
    module: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Tensor, ...]]


def labels(count: int, *shape: int) -> Tensor:
    return torch.randint(0, count, shape)


def compared(loss, outputs: int, target: Callable[[], Tensor]) -> Step:
    return Step(lambda: losses.Compared(loss, outputs), lambda: (torch.randn(7, 9), target()))


def classified(network: Callable[[], nn.Module], count: int, *shape: int) -> Step:
    return Step(lambda: networks.Classified(network()), lambda: (torch.randn(*shape), labels(count, shape[0])))


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(13, 17), nn.ReLU(), nn.Linear(17, 11), nn.Sigmoid(), nn.Linear(11, 5))


def digits() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip


STEPS: dict[str, Step] = {
    "perceptron": classified(perceptron, 5, 7, 13),
    "dropped": classified(networks.Dropped, 5, 7, 13),
    "digits": classified(digits, 10, 5, 1, 8, 8),
    "resnet": classified(networks.resnet, 10, 3, 3, 32, 32),
    "mobilenet": classified(networks.mobilenet, 5, 3, 3, 12, 12),
    "volumes": classified(networks.volumes, 4, 3, 2, 7, 6, 6),
    "shrinking": classified(networks.shrinking, 4, 3, 2, 9),
    "unet": Step(networks.UNet, lambda: (torch.randn(2, 2, 8, 12), labels(3, 2, 8, 12))),
    "lstm": Step(lambda: networks.Recurrent(nn.LSTM, True), lambda: (torch.randn(3, 7, 5), labels(3, 3, 7))),
    "gru": Step(lambda: networks.Recurrent(nn.GRU, False), lambda: (torch.randn(3, 5, 5), labels(3, 3, 5))),
    "rnn": Step(lambda: networks.Recurrent(nn.RNN, False), lambda: (torch.randn(2, 5, 5), labels(3, 2, 5))),
    "temporal": Step(networks.Temporal, lambda: (torch.randn(2, 3, 11), torch.randn(2, 11))),
    "experts": Step(networks.Experts, lambda: (torch.randn(5, 7), torch.randn(5, 5))),
    "bag": Step(networks.Bag, lambda: (torch.cat([labels(19, 5, 6), torch.ones(5, 1, dtype=torch.int64)], 1), labels(4, 5))),
    "encoder": Step(networks.Encoder, lambda: (torch.randn(5, 7, 8), labels(3, 5))),
    "denoiser": Step(networks.Denoiser, lambda: (torch.randn(3, 1, 6, 6), torch.randn(3, 1, 6, 6), torch.rand(3))),
    "spatial": Step(networks.Spatial, lambda: (torch.randn(2, 1, 5, 5), torch.randn(2, 1, 10, 10))),
    "physics": Step(networks.Physics, lambda: (torch.randn(7, 5), torch.randn(7))),
    "gaussian": Step(networks.Gaussian, lambda: (torch.randn(7, 2), torch.randn(7))),
    "detection": Step(
        losses.Detection,
        lambda: (torch.randn(2, 3, 12, 12), labels(2, 2, 9, 3), torch.rand(2, 9, 4) + torch.tensor([0, 0, 1, 1])),
    ),
    "contrastive": Step(losses.Contrastive, lambda: (torch.randn(5, 11), torch.randn(5, 11))),
    "variational": Step(losses.Variational, lambda: (torch.randn(5, 13), torch.randn(5, 5))),
    "triplet": Step(losses.Triplet, lambda: tuple(torch.randn(7, 9) for _ in range(3))),
    "distillation": compared(losses.distillation, 5, lambda: torch.randn(7, 5)),
    "smoothing": compared(losses.classes, 5, lambda: labels(5, 7)),
    "multilabel": compared(losses.several, 5, lambda: labels(2, 7, 5).float()),
    "robust": compared(losses.robust, 3, lambda: torch.randn(7, 3)),
    "hinge": compared(F.multi_margin_loss, 5, lambda: labels(5, 7)),
    "poisson": compared(F.poisson_nll_loss, 3, lambda: torch.rand(7, 3) * 4),
    "bert": Step(language.bert, lambda: (language.tokens(), labels(3, 3))),
    "distilbert": Step(language.distilbert, lambda: (language.tokens(), language.tokens())),
    "gpt2": Step(language.gpt2, lambda: (language.tokens(),) * 2),
    "llama": Step(language.llama, lambda: (language.tokens(),) * 2),
    "t5": Step(language.t5, lambda: (language.tokens(), language.tokens(3, 5))),
    "vit": Step(language.vit, lambda: (torch.randn(2, 3, 16, 16), labels(5, 2))),
}
