"""What a small program is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from pt2files import Call


@dataclass(frozen=True)
class Program:
    """A module class, its calls (the first is traced), its dynamic dimensions, and its mode."""

    name: str
    module: Callable[[], nn.Module]
    calls: Callable[[], list[Call]]
    dynamic: Callable[[], Any] = lambda: None
    training: bool = False
    plain: bool = False
    """Only training IR, and without stack traces: they are most of the file of a small transformer."""
    traces: bool = True
    """Whether its files say which Python each node comes from."""
    gradients: bool = True
    """Whether they are enabled in the export; branches may write to buffers only where they are not."""


def calls(*args: tuple) -> list[Call]:
    """Calls with positional arguments only."""
    return [Call(a) for a in args]
