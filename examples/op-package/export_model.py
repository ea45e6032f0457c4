"""Writes `scan.pt2`, a recurrent network that calls `scan::linear_recurrence`, with PyTorch's results in it.

`python export_model.py` writes the same bytes again. Also `scan.expected.safetensors`: results for other lengths.
"""

import base64
import json
import pathlib
import sys

import torch
from safetensors.torch import save
from torch import Tensor, nn

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../../scripts/python"))

from pt2files import make_portable  # noqa: E402
from tensor_files import save_tensors  # noqa: E402


@torch.library.custom_op("scan::linear_recurrence", mutates_args=())
def linear_recurrence(decay: Tensor, input: Tensor) -> Tensor:
    states = torch.empty_like(input, memory_format=torch.contiguous_format)
    state = torch.zeros_like(input[..., 0])
    for t in range(input.shape[-1]):
        state = decay[..., t] * state + input[..., t]
        states[..., t] = state
    return states


@linear_recurrence.register_fake
def _(decay: Tensor, input: Tensor) -> Tensor:
    return torch.empty_like(input, memory_format=torch.contiguous_format)


class MinimalGru(nn.Module):
    """Feng et al., 2024: the gate does not see the state, so that all steps are one scan."""

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.gate = nn.Linear(features, hidden)
        self.candidate = nn.Linear(features, hidden)

    def forward(self, x: Tensor) -> Tensor:
        update = self.gate(x).sigmoid()
        candidate = self.candidate(x).tanh()
        states = torch.ops.scan.linear_recurrence((1 - update).mT, (update * candidate).mT)
        return states.mT


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = nn.Sequential(MinimalGru(5, 11), MinimalGru(11, 7), nn.Linear(7, 3)).eval()
    x = torch.randn(2, 13, 5)
    dims = {0: torch.export.Dim("batch", min=1, max=1024), 1: torch.export.Dim("length", min=2, max=4096)}
    program = torch.export.export(network, (x,), dynamic_shapes=({**dims},))
    schema = str(torch.ops.scan.linear_recurrence.default._schema)
    packages = {"scan::linear_recurrence": {"schema": schema, "package": "pt2-scan", "version": "0.1.0"}}
    with torch.no_grad():
        expected = base64.b64encode(save({"0": network(x)})).decode()
        others = {f"{b}x{t}": network(torch.arange(5.0 * b * t).sin().reshape(b, t, 5)) for b, t in ((1, 2), (3, 31), (37, 17))}
    files = {"custom_ops.json": json.dumps(packages), "expected.safetensors.base64": expected}
    torch.export.save(make_portable(program), HERE / "scan.pt2", extra_files=files)
    save_tensors(HERE / "scan.expected.safetensors", others)


if __name__ == "__main__":
    main()
