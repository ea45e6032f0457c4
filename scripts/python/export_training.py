"""Writes modules that return a loss, with PyTorch's gradients: `python export_training.py OUT [--only NAME…]`.

For each module of `training/zoo.py`: `NAME.pt2` is the program of the forward pass as it is trained, `NAME.joint.pt2`
that of forward and backward which PyTorch makes of it, and `NAME.safetensors` has the inputs (`input.0`, …), the loss,
the gradient of each parameter (`grad.NAME`) and of each floating point input (`input_grad.0`), as autograd computes them
in eager mode, and what the joint program gives in PyTorch itself (`joint.0`, …, in the order of its outputs). Random numbers are those after
`torch.manual_seed(0)`.
"""

import argparse
import copy
import os
import warnings
import zlib

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
import torch
from safetensors.torch import save_file
from torch.export.experimental import _export_forward_backward
from torch.utils import _pytree as pytree

from training.zoo import STEPS

warnings.filterwarnings("ignore")


def copied(tensors: tuple) -> tuple:
    return tuple(tensor.clone() for tensor in tensors)


def joint_of(exported: torch.export.ExportedProgram) -> torch.export.ExportedProgram | None:
    """The program of forward and backward; None where PyTorch cannot make it, as for tied parameters."""
    try:
        return _export_forward_backward(copy.deepcopy(exported))
    except (AssertionError, IndexError) as problem:
        print("without a joint program:", type(problem).__name__, str(problem).split("\n")[0])
        return None


def results_of(joint: torch.export.ExportedProgram | None, inputs: tuple) -> list[torch.Tensor]:
    """Runs the graph of a joint program op by op; empty where PyTorch cannot, because strides differ from the trace."""
    if joint is None:
        return []
    state, users = {**joint.state_dict, **joint.constants}, iter(inputs)
    specs = joint.graph_signature.input_specs
    values = [next(users) if spec.kind.name == "USER_INPUT" else state[spec.target] for spec in specs]
    try:
        with torch.no_grad():
            return list(torch.fx.Interpreter(joint.graph_module).run(*copied(tuple(values)), enable_io_processing=False))
    except (ValueError, RuntimeError):
        return []


def write(folder: str, name: str) -> None:
    torch.manual_seed(zlib.crc32(name.encode()))
    step = STEPS[name]
    module, inputs = step.module().train(), copied(step.inputs())
    exported = torch.export.export(copy.deepcopy(module), inputs, strict=False)
    torch.export.save(exported, os.path.join(folder, f"{name}.pt2"))
    joint = joint_of(exported)
    if joint is not None:
        torch.export.save(joint, os.path.join(folder, f"{name}.joint.pt2"))
    tensors = {f"input.{i}": tensor for i, tensor in enumerate(inputs)}

    # Each run begins with this seed, also where the program is tested.
    torch.manual_seed(0)
    eager, given = copy.deepcopy(module), [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    leaves = pytree.tree_leaves(eager(*given))
    leaves[0].backward()
    tensors["loss"] = leaves[0].detach()
    tensors.update({f"output.{i}": leaf.detach() for i, leaf in enumerate(leaves)})
    tensors.update({f"grad.{key}": value.grad for key, value in eager.named_parameters() if value.grad is not None})
    tensors.update({f"input_grad.{i}": x.grad for i, x in enumerate(given) if x.grad is not None})
    tensors.update({f"buffer.{key}": value for key, value in eager.named_buffers()})

    torch.manual_seed(0)
    for i, value in enumerate(results_of(joint, inputs)):
        tensors[f"joint.{i}"] = value
    save_file({key: value.detach().clone().contiguous() for key, value in tensors.items()}, os.path.join(folder, f"{name}.safetensors"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--only", nargs="*", default=list(STEPS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.makedirs(options.out, exist_ok=True)
    for name in options.only:
        write(options.out, name)
        print(name, flush=True)


if __name__ == "__main__":
    main()
