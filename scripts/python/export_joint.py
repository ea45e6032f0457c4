"""Writes programs of forward and backward, with PyTorch's gradients: `python export_joint.py [OUT]`.

Like export_programs.py; OUT defaults to tests/fixtures/joint. What a call should give is the module's results in flattened
order, and behind them the gradients of the loss in the order of the file's signature, as autograd computes them.
"""

import copy
import os
import sys
import zlib

import torch
from torch import nn
from torch.export import Dim
from torch.export.experimental import _export_forward_backward
from torch.utils import _pytree as pytree

from programs.program import Program, calls
from pt2files import Recording, save_program

FOLDER = os.path.join(os.path.dirname(__file__), "../../tests/fixtures/joint")


class Classifier(nn.Module):
    """Convolution and batch normalization in training mode, any batch size; the loss, and the classes beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.head = nn.Linear(3 * 4, 5)

    def forward(self, image: torch.Tensor, label: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = nn.functional.max_pool2d(torch.relu(self.norm(self.conv(image))), 2).flatten(1)
        logits = self.head(hidden)
        return nn.functional.cross_entropy(logits, label), logits.detach().argmax(1)


class Tokens(nn.Module):
    """Embedding and layer normalization; a dict whose second value is the loss."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.norm = nn.LayerNorm(4)
        self.head = nn.Linear(4, 7, bias=False)

    def forward(self, ids: torch.Tensor, target: torch.Tensor) -> dict[str, torch.Tensor]:
        logits = self.head(nn.functional.gelu(self.norm(self.embed(ids))))
        return {"logits": logits.detach(), "loss": nn.functional.cross_entropy(logits, target)}


def images(count: int) -> tuple:
    return torch.randn(count, 1, 4, 4), torch.randint(0, 5, (count,))


def tokens() -> tuple:
    return torch.randint(0, 7, (5,)), torch.randint(0, 7, (5,))


BATCH = Dim("batch", min=2, max=16)
PROGRAMS = {
    "classifier": (Program("classifier", Classifier, lambda: calls(images(4), images(3)), lambda: ({0: BATCH}, {0: BATCH})), 0),
    "tokens": (Program("tokens", Tokens, lambda: calls(tokens(), tokens())), 1),
}


def record(module: nn.Module, recorded: list, loss_index: int, parameters: list[str]) -> Recording:
    """Makes the calls in order on a copy of `module`: what it returns, and the gradients of its loss."""
    reference, result = copy.deepcopy(module), Recording({}, {}, [])
    for index, call in enumerate(recorded):
        prefix = f"call{index}." if index else ""
        result.inputs.update({f"{prefix}{i}": leaf for i, leaf in enumerate(pytree.tree_leaves(call.args))})
        leaves = pytree.tree_leaves(reference(*call.args))
        named = dict(reference.named_parameters())
        gradients = torch.autograd.grad(leaves[loss_index], [named[name] for name in parameters])
        outputs = [leaf.detach() for leaf in (*leaves, *gradients)]
        result.expected.update({f"{prefix}{i}": leaf.contiguous() for i, leaf in enumerate(outputs)})
        result.calls.append({"non_tensor_inputs": {}, "non_tensor_outputs": {}, "outputs": len(outputs)})
    return result


def main() -> None:
    folder = sys.argv[1] if len(sys.argv) > 1 else FOLDER
    os.makedirs(folder, exist_ok=True)
    for name, (program, loss_index) in PROGRAMS.items():
        torch.manual_seed(zlib.crc32(name.encode()))
        module, recorded = program.module().train(), program.calls()
        exported = torch.export.export(module, recorded[0].args, dynamic_shapes=program.dynamic())
        joint = _export_forward_backward(exported, joint_loss_index=loss_index)
        parameters = [spec.target for spec in joint.graph_signature.output_specs if spec.kind.name == "GRADIENT_TO_PARAMETER"]
        path = save_program(folder, name, joint, record(module, recorded, loss_index, parameters))
        print(f"{name:24} {os.path.getsize(path) / 1e3:6.1f} kB")


if __name__ == "__main__":
    main()
