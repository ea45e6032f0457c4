"""Writes packages/runtime/src/tensor/random.golden.json: numbers of `torch.rand` and `torch.randn` by seed and count.

python scripts/python/random_numbers.py [--check]
"""

import json

import torch

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/runtime/src/tensor/random.golden.json"
# PyTorch makes fewer than 16 normal numbers in another way than many, and a rest of blocks of 16 in a third.
COUNTS = [1, 2, 7, 15, 16, 17, 31, 32, 37, 700]


def numbers(seed: int, make: str, count: int) -> list[float]:
    torch.manual_seed(seed)
    return getattr(torch, make)(count).tolist()


def text() -> str:
    rows = [
        {"seed": seed, "make": make, "numbers": numbers(seed, make, count)}
        for make in ("rand", "randn")
        for seed in (0, 7, 2**32 - 1)
        for count in COUNTS
    ]
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
