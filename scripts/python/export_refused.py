"""Writes programs that cannot be run, to test what is said about them: `python export_refused.py [OUT]`.

OUT defaults to tests/fixtures/refused.
"""

import os
import sys

import torch

from programs.quantized import Perceptron, quiet
from pt2files import make_portable, without_traces

FOLDER = os.path.join(os.path.dirname(__file__), "../../tests/fixtures/refused")


def subclass() -> torch.export.ExportedProgram:
    """Weights that were not unwrapped: objects of torchao's own class."""
    quiet()
    import torchao.quantization as quantization

    model = Perceptron().eval()
    quantization.quantize_(model, quantization.Int8WeightOnlyConfig())
    return torch.export.export(model, (torch.randn(5, 12),))


PROGRAMS = {"torchao_subclass": subclass}


def main() -> int:
    folder = sys.argv[1] if len(sys.argv) > 1 else FOLDER
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    for name, make in PROGRAMS.items():
        torch.export.save(without_traces(make_portable(make())), os.path.join(folder, f"{name}.pt2"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
