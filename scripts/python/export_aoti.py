"""Compiles a small model to an AOTInductor package: `python export_aoti.py OUT.pt2`. Needs a C++ compiler; takes a minute.

`forward(x, y)` with x of (rows, 3) and y of (rows, 2) gives relu(x Wᵀ + b) and y - x[:, :2]; W holds 0 to 5 and b holds -4
and 1, so that float32 computes it without rounding. The number of rows is dynamic.
"""

import sys

import torch
from torch.export import Dim


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        with torch.no_grad():
            self.linear.weight.copy_(torch.arange(6.0).reshape(2, 3))
            self.linear.bias.copy_(torch.tensor([-4.0, 1.0]))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.relu(self.linear(x)), y - x[:, :2]


def main(path: str) -> None:
    rows = Dim("rows", min=2, max=64)
    inputs = (torch.ones(4, 3), torch.ones(4, 2))
    program = torch.export.export(Model().eval(), inputs, dynamic_shapes=({0: rows}, {0: rows}))
    torch._inductor.aoti_compile_and_package(program, package_path=path)


if __name__ == "__main__":
    main(sys.argv[1])
