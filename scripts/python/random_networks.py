"""Exports networks of random layers, each with a call: `random_networks.py FOLDER FIRST LAST`, by the numbers of networks.

A number always makes the same network. Left out are those whose results in float32 are not those of float64: what decides
between two very different ones by the last bit says nothing of a backend.
"""

import copy
import os
import random
import sys

import torch
from torch import Tensor, nn

from pt2files import Call, record, save_program
from random_layers import Layer, draw

SHAPES = [
    *[(1, 3, 32, 32), (2, 3, 17, 23), (1, 8, 14, 14), (3, 6, 13, 9), (1, 16, 28, 28), (2, 12, 20, 18), (1, 1, 29, 31), (1, 64, 10, 10)],
    *[(2, 96, 9, 11), (1, 128, 7, 7), (7, 40, 8, 8), (2, 13, 24), (1, 30, 16), (1, 197, 64), (3, 24), (2, 4, 3, 7, 9), (1, 8, 4, 8, 8)],
]
MOST_ELEMENTS, MOST_VALUE, TRIES, KEPT = 200_000, 1e4, 20, 6


class Network(nn.Module):
    """Layers one after the other, each of which may look at some tensors before."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList()

    def forward(self, x: Tensor) -> Tensor:
        before = [x]
        for layer in self.layers:
            x = layer(x, before)
            before = [*before, x][-KEPT:]
        return x

    @torch.no_grad()
    def grow(self, rng: random.Random, x: Tensor, count: int) -> None:
        """Adds layers for the input x, which train if the network does."""
        before = [x]
        for _ in range(count):
            found = next(filter(None, (attempt(rng, x, before, self.training) for _ in range(TRIES))), None)
            if found is not None:
                layer, x = found
                self.layers.append(layer)
                before = [*before, x][-KEPT:]


def attempt(rng: random.Random, x: Tensor, before: list[Tensor], training: bool) -> tuple[Layer, Tensor] | None:
    try:
        layer = draw(rng, x, before)
        result = None if layer is None else layer.train(training)(x, before)
    except (RuntimeError, ValueError, IndexError):
        return None  # PyTorch has no such layer for x
    if layer is None or result is None or not 0 < result.numel() <= MOST_ELEMENTS:
        return None
    return (layer, result) if result.isfinite().all() and result.abs().max() < MOST_VALUE else None


@torch.no_grad()
def is_sound(network: Network, x: Tensor) -> bool:
    exact = copy.deepcopy(network).double()(x.double())
    scale = exact.pow(2).mean().sqrt().clamp_min(1e-6)
    return bool(((network(x) - exact).abs() <= 2e-5 * (scale + exact.abs())).all())


def main(folder: str, first: int, last: int) -> None:
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    for number in range(first, last):
        torch.manual_seed(number)
        rng = random.Random(number)
        shape = rng.choice(SHAPES)
        x = torch.randn(shape)
        if len(shape) == 4 and rng.random() < 0.3:
            x = x.to(memory_format=torch.channels_last)
        network = Network().eval()
        network.grow(rng, x, rng.randint(4, 12))
        if len(network.layers) > 0 and is_sound(network, x):
            call = Call((x,))
            save_program(folder, f"network_{number}", torch.export.export(network, call.args), record(network, [call]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
