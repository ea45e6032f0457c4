"""Exports four linear layers, in float32 and as torchao quantizes them: `bench_quantized.py FOLDER`, for `bench/quantized.ts`.

Each form is one file for one row of inputs, as a decoder has them, and one for 32 rows.
"""

import copy
import logging
import os
import sys

import torch
from torch import Tensor, nn

from pt2files import Call, record, save_program

logging.disable(logging.WARNING)
from torchao.quantization import (  # noqa: E402 warns of kernels that it does not have
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    quantize_,
)
from torchao.quantization.granularity import PerGroup  # noqa: E402
from torchao.utils import unwrap_tensor_subclass  # noqa: E402

WIDTH, HIDDEN = 1024, 4096
FORMS = {
    "float32": None,
    "int8": Int8WeightOnlyConfig(),
    "int8 activations": Int8DynamicActivationInt8WeightConfig(),
    "int4 by 32": IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32)),
    "int8 activations, int4": Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)),
}


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide, self.narrow = nn.Linear(WIDTH, HIDDEN, bias=False), nn.Linear(HIDDEN, WIDTH)
        self.gate, self.out = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.narrow(nn.functional.silu(self.wide(x)))
        return x + self.out(nn.functional.gelu(self.gate(x)))


def main(folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    layers = Layers().eval()
    for rows in (1, 32):
        x = torch.randn(rows, WIDTH)
        for name, config in FORMS.items():
            made = copy.deepcopy(layers)
            if config is not None:
                quantize_(made, config)
                made = unwrap_tensor_subclass(made)
            save_program(folder, f"{name}, rows {rows}", torch.export.export(made, (x,)), record(made, [Call((x,))]))


if __name__ == "__main__":
    main(sys.argv[1])
