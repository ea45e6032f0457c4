"""What an exportable model is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from pt2files import Call


@dataclass(frozen=True)
class Spec:
    """A model, the calls it is exported and checked with (the first one is traced), and its dynamic dimensions."""

    name: str
    build: Callable[[bool], torch.nn.Module]
    """Takes `small`: whether to shrink layers that are only big."""
    calls: Callable[[], list[Call]]
    dynamic: Callable[[], Any] = lambda: None


def image(*shape: int) -> Callable[[], list[Call]]:
    """One call with one batch of noise."""
    return lambda: [Call((torch.randn(shape),))]
