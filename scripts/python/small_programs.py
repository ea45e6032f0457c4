"""Programs of a few microseconds, as sensors, games, policies and tables run them, each with one call."""

import itertools
import pathlib
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pt2files import Call

DIGITS = pathlib.Path(__file__).parents[2] / "examples/digits/digits.pt2"


class LastStep(nn.Module):
    """A recurrent layer over a sequence [1, steps, features], and a linear layer on its last step."""

    def __init__(self, layer: nn.Module, hidden: int, outputs: int) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layer(x)[0][:, -1])


class StatefulPolicy(nn.Module):
    """One step of a policy that remembers: what it sees and its state, to what it does and its next state."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.GRUCell(16, 64), nn.Linear(64, 6)

    def forward(self, seen: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = self.cell(seen, state)
        return torch.softmax(self.head(state), -1), state


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(24, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.actor, self.critic = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        body = self.body(seen)
        return torch.softmax(self.actor(body), -1), self.critic(body)


class TextClasses(nn.Module):
    """The mean of the embeddings of a few words, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(500, 32), nn.Linear(32, 5)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.words(words).mean(1))


class Table(nn.Module):
    """A row of a table: four columns of categories, ten of numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.columns = nn.ModuleList(nn.Embedding(count, 8) for count in (5, 12, 31, 100))
        self.norm = nn.BatchNorm1d(10)
        self.body = nn.Sequential(nn.Linear(42, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, categories: Tensor, numbers: Tensor) -> Tensor:
        embedded = [column(categories[:, i]) for i, column in enumerate(self.columns)]
        return torch.sigmoid(self.body(torch.cat([*embedded, self.norm(numbers)], 1)))


class Attention(nn.Module):
    """A block of a transformer over 16 positions of 32 features, with 4 heads."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(32), nn.LayerNorm(32)
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.body = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.qkv(self.first(x)).view(1, 16, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(query, key, value)
        x = x + self.out(mixed.transpose(1, 2).reshape(1, 16, 32))
        return x + self.body(self.second(x))


class Decision(nn.Module):
    """Two networks behind a condition, one of them with another condition inside."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.low = nn.Linear(12, 1), nn.Linear(12, 3)
        self.high = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x: Tensor) -> Tensor:
        def deep(x: Tensor) -> Tensor:
            return torch.cond(x.max() > 1, self.high, self.low, (x,))

        return torch.cond(self.gate(x).sum() > -100, deep, self.low, (x,))


class Dilated(nn.Module):
    """Causal 1-d convolutions with residuals, whose windows double."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.head = nn.Conv1d(4, 16, 1), nn.Linear(16, 3)
        self.layers = nn.ModuleList(nn.Conv1d(16, 16, 3, dilation=2**i) for i in range(3))

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for i, layer in enumerate(self.layers):
            x = x + torch.relu(layer(F.pad(x, (2 * 2**i, 0))))
        return self.head(x[:, :, -1])


def _sensor() -> nn.Module:
    """128 samples of 6 channels of an accelerometer, to 6 activities."""
    first = [nn.Conv1d(6, 16, 5, stride=2, padding=2), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2)]
    second = [nn.Conv1d(16, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(), nn.AdaptiveAvgPool1d(1)]
    return nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(32, 6))


def _keyword() -> nn.Module:
    """49 frames of 10 features of a sound, by depthwise and pointwise convolutions."""

    def separable(inputs: int, outputs: int) -> list[nn.Module]:
        depthwise = nn.Conv1d(inputs, inputs, 3, padding=1, groups=inputs)
        return [depthwise, nn.ReLU(), nn.Conv1d(inputs, outputs, 1), nn.ReLU()]

    first = [nn.Conv1d(10, 24, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*first, *separable(24, 32), *separable(32, 32), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, 8))


def _board() -> nn.Module:
    """A position of Connect Four, two planes of 6 x 7, to the values of seven moves."""
    body = [nn.Conv2d(2, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*body, nn.Conv2d(24, 4, 1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 42, 7))


def _layers(*sizes: int, between: Callable[[], nn.Module]) -> nn.Module:
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), between()]
    return nn.Sequential(*layers[:-1])


def _rows(*shape: int) -> Callable[[], Call]:
    return lambda: Call((torch.randn(*shape),))


def _recurrent(make: Callable[..., nn.Module]) -> Callable[[], nn.Module]:
    return lambda: LastStep(make(16, 32, batch_first=True), 32, 4)


SMALL = {
    "mlp": (lambda: _layers(16, 64, 64, 4, between=nn.ReLU), _rows(1, 16)),
    "gru": (_recurrent(nn.GRU), _rows(1, 20, 16)),
    "digits": (lambda: torch.export.load(DIGITS).module(), _rows(1, 1, 8, 8)),
    "lstm": (_recurrent(nn.LSTM), _rows(1, 20, 16)),
    "rnn": (_recurrent(nn.RNN), _rows(1, 20, 16)),
    "gru_cell": (StatefulPolicy, lambda: Call((torch.randn(1, 16), torch.randn(1, 64)))),
    "attention": (Attention, _rows(1, 16, 32)),
    "words": (TextClasses, lambda: Call((torch.randint(500, (1, 12)),))),
    "table": (Table, lambda: Call((torch.randint(5, (1, 4)), torch.randn(1, 10)))),
    "decision": (Decision, _rows(1, 12)),
    "actor_critic": (ActorCritic, _rows(1, 24)),
    "autoencoder": (lambda: _layers(32, 16, 4, 16, 32, between=nn.GELU), _rows(1, 32)),
    "logistic": (lambda: nn.Sequential(nn.Linear(20, 1), nn.Sigmoid()), _rows(1, 20)),
    "sensor": (_sensor, _rows(1, 6, 128)),
    "dilated": (Dilated, _rows(1, 4, 64)),
    "keyword": (_keyword, _rows(1, 10, 49)),
    "board": (_board, _rows(1, 2, 6, 7)),
}
