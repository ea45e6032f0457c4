"""Writes tests/fixtures/shared-storage: programs that write to a constant or a buffer which is part of another's memory.

    python scripts/python/shared_storage.py

Expected are two calls of what `torch.export.load` makes of the file: there constants have memory of their own, whatever
they shared when the module was exported, and buffers share what they shared.
"""

import json
import pathlib
import warnings

import torch

FOLDER = pathlib.Path(__file__).parents[2] / "tests/fixtures/shared-storage"


class Shared(torch.nn.Module):
    """`c`, which no module registers, and the buffer `b` are views of one tensor."""

    def __init__(self, constant: slice, written: str) -> None:
        super().__init__()
        base = torch.arange(6.0)
        self.c, self.written = base[constant], written
        self.register_buffer("b", base)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        getattr(self, self.written).add_(x[0])
        return self.b * 2, self.c * 3


class TwoBuffers(torch.nn.Module):
    """Buffers that overlap, of which neither holds the other."""

    def __init__(self) -> None:
        super().__init__()
        base = torch.arange(6.0)
        self.register_buffer("a", base[:4])
        self.register_buffer("b", base[2:])

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        self.a.add_(x[0])
        return self.b * 2, self.a * 3


MODULES = {
    "constant-that-is-a-buffer": Shared(slice(None), "c"),
    "constant-in-a-buffer": Shared(slice(2, None), "c"),
    "buffer-around-a-constant": Shared(slice(None, None, 2), "b"),
    "buffers-that-overlap": TwoBuffers(),
}

if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    FOLDER.mkdir(exist_ok=True)
    x = torch.ones(2)
    expected = {}
    for name, module in MODULES.items():
        file = FOLDER / f"{name}.pt2"
        torch.export.save(torch.export.export(module, (x,)), file)
        loaded = torch.export.load(file).module()
        expected[name] = [[result.tolist() for result in loaded(x)] for _ in range(2)]
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
