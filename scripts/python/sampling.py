"""Writes packages/backend-wasm/src/sampling.golden.json: PyTorch's pooling and interpolation of one row of numbers.

python scripts/python/sampling.py [--check]
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/backend-wasm/src/sampling.golden.json"
SIGNAL = [0.5, -1.25, 3.0, 2.0, -0.75, 4.5, 1.0, -2.5, 0.25, 6.0, -3.5]


def row(x: torch.Tensor) -> list[float]:
    """Eight digits of each element, which is what float32 has."""
    return [float(f"{v:.8g}") for v in x.flatten().tolist()]


def resized() -> Iterator[tuple[str, int, float | None, bool, bool, torch.Tensor]]:
    x = torch.tensor(SIGNAL).reshape(1, 1, 1, -1)
    up = torch.ops.aten
    sizes = [1, 4, 7, 11, 13, 22, 29]
    for out, align in itertools.product(sizes, (False, True)):
        yield "linear", out, None, align, False, up.upsample_bilinear2d(x, [1, out], align, None, None)
        yield "cubic", out, None, align, False, up.upsample_bicubic2d(x, [1, out], align, None, None)
    for out in sizes:
        yield "nearest", out, None, False, False, up.upsample_nearest2d(x, [1, out], None, None)
        yield "nearest-exact", out, None, False, False, up._upsample_nearest_exact2d(x, [1, out], None, None)
        yield "linear", out, None, False, True, up._upsample_bilinear2d_aa(x, [1, out], False, None, None)
        yield "cubic", out, None, False, True, up._upsample_bicubic2d_aa(x, [1, out], False, None, None)
    for scale in (0.45, 1.3, 2.0, 2.7):
        out = int(len(SIGNAL) * scale)
        yield "linear", out, scale, False, False, up.upsample_bilinear2d(x, [1, out], False, 1.0, scale)
        yield "nearest", out, scale, False, False, up.upsample_nearest2d(x, [1, out], 1.0, scale)
        yield "cubic", out, scale, False, True, up._upsample_bicubic2d_aa(x, [1, out], False, 1.0, scale)


def pooled() -> Iterator[dict[str, Any]]:
    x = torch.tensor(SIGNAL).reshape(1, 1, -1)
    for kernel, stride, padding, ceil in itertools.product((2, 3, 5), (1, 2, 3), (0, 1, 2), (False, True)):
        if padding > kernel // 2:
            continue
        window = {"kernel": kernel, "stride": stride, "padding": padding}
        for count in (False, True):
            y = F.avg_pool1d(x, kernel, stride, padding, ceil, count)
            yield {"reduce": "mean", **window, "dilation": 1, "ceilMode": ceil, "countIncludePad": count, "values": row(y)}
        for dilation in (1, 2):
            y = F.max_pool1d(x, kernel, stride, padding, dilation, ceil)
            yield {"reduce": "max", **window, "dilation": dilation, "ceilMode": ceil, "countIncludePad": False, "values": row(y)}


def lines(cases: Iterator[dict[str, Any]]) -> str:
    return ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)


def text() -> str:
    sizes = (
        {"mode": mode, **({} if scale is None else {"scale": scale}), "alignCorners": align, "antialias": antialias, "values": row(y)}
        for mode, _, scale, align, antialias, y in resized()
    )
    version = torch.__version__.split("+")[0]
    return f'{{"torch":"{version}","signal":{json.dumps(SIGNAL)},\n"resized":[\n{lines(sizes)}\n],\n"pooled":[\n{lines(pooled())}\n]}}\n'


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
