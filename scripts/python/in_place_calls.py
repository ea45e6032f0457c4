"""Writes tests/fixtures/in-place.json.gz: calls of every in-place op with operands of mixed dtypes, and what PyTorch leaves in memory.

    python scripts/python/in_place_calls.py

Each line is an op case as `cases/` has them, so that the conformance suite's functions run it from the program to the
bytes: functional forms compute in a promoted dtype, and what is written must have the dtype of `self` all the same.
"""

import gzip
import json
import pathlib
import random
import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import torch

from goldens import run
from in_place_dtypes import Call, pairs
from memory.drawn import Undrawable
from opcase import Case

TARGET = pathlib.Path(__file__).parents[2] / "tests/fixtures/in-place.json.gz"
TRIES, ENOUGH = 60, 6


class Values(Call):
    """Fractions too: what is stored in integers is cut off."""

    def tensor(self) -> torch.Tensor:
        dtype = (
            self.dtype
            if self.rnd.random() < 0.4
            else self.rnd.choice([torch.uint8, torch.int32, torch.int64, torch.bool, torch.float16, torch.bfloat16, torch.float32, torch.float64])
        )
        numbers = torch.randint(0, 5, self.shape if self.rnd.random() < 0.8 else ())
        return (numbers * 0.75).to(dtype) if dtype.is_floating_point else numbers.to(dtype)


# These draw numbers.
RANDOM = ("bernoulli_", "dropout_", "alpha_dropout_", "feature_dropout_", "feature_alpha_dropout_", "rrelu_", "rrelu_with_noise_", "random_")


def calls(written: torch._ops.OpOverload, rnd: random.Random) -> Iterator[dict[str, Any]]:
    arguments, seen = written._schema.arguments, set()
    for _ in range(TRIES):
        draw = Values(rnd)
        try:
            values = [draw.value(argument.type, argument.name) for argument in arguments]
        except Undrawable:
            return
        given = {a.name: v for a, v in zip(arguments, values, strict=True) if not (v is None or a.name == "generator")}
        key = str({k: (v.dtype, v.shape) if isinstance(v, torch.Tensor) else v for k, v in given.items()})
        name = written._schema.name + (f".{written._schema.overload_name}" if written._schema.overload_name else "")
        if key in seen:
            continue
        try:
            case = run(Case(name, str(len(seen)), (), given))
        except Exception:
            continue
        seen.add(key)
        yield case
        if len(seen) == ENOUGH:
            return


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    lines: list[str] = []
    for written, _ in pairs():
        if written._schema.name.removeprefix("aten::") in RANDOM:
            continue
        torch.manual_seed(0)
        rnd = random.Random(zlib.crc32(str(written).encode()))
        # `run` encodes arguments before the call, and what was written after it.
        lines += [json.dumps(case, separators=(",", ":"), allow_nan=False) for case in calls(written, rnd)]
    TARGET.write_bytes(gzip.compress(("[\n" + ",\n".join(lines) + "\n]\n").encode(), 9, mtime=0))
    print(f"{len(lines)} calls of {len({json.loads(line)['op'] for line in lines})} ops, {TARGET.stat().st_size // 1000} kB")
