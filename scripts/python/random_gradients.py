"""Exports networks of random layers with their gradients: `random_gradients.py FOLDER FIRST LAST`, by the numbers of networks.

A number always makes the same network: layers as those of `random_networks.py`, and a loss. Each is either for predictions or
for training, where batch normalization uses its batch and writes its statistics. Either the loss is part of the program, or the
program returns what the loss compares with the target. `NUMBER.pt2` is the program, and `NUMBER.safetensors` has its inputs
(`input.0`, and the target as `input.1`), the loss, the gradients of parameters (`grad.NAME`) and of the input (`input_grad.0`),
as autograd computes them in float64, and the buffers that were written (`buffer.NAME`).

Left out are networks whose gradients in float32 are others, and those with other gradients for almost the same numbers: where
the last bit decides which way a gradient takes, it says nothing of a backend.
"""

import copy
import os
import random
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.export import Dim

from random_networks import SHAPES, Network

LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "weighted": lambda result, target: (result * target).mean(),
    "squares": F.mse_loss,
    "smooth": F.smooth_l1_loss,
    "classes": F.cross_entropy,
}
# The ops that the TypeScript side adds itself.
ADDED = ["squares", "classes"]

Numbers = dict[str, Tensor]


class WithLoss(nn.Module):
    def __init__(self, network: nn.Module, loss: str) -> None:
        super().__init__()
        self.network, self.loss = network, loss

    def forward(self, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        result = self.network(x)
        return LOSSES[self.loss](result, target), result.detach()


def gradients_of(network: nn.Module, loss: str, x: Tensor, target: Tensor) -> tuple[Numbers, Numbers]:
    """The loss with the gradients of everything, and the buffers that it wrote, computed with a copy of the network."""
    network, x = copy.deepcopy(network), x.detach().clone().requires_grad_()
    before = {name: buffer.clone() for name, buffer in network.named_buffers()}
    value = LOSSES[loss](network(x), target)
    value.backward()
    found = {f"grad.{name}": p.grad for name, p in network.named_parameters() if p.grad is not None}
    buffers = {f"buffer.{name}": buffer for name, buffer in network.named_buffers() if not buffer.equal(before[name])}
    return {"loss": value.detach(), "input_grad.0": x.grad, **found}, buffers


def with_rows(_module: nn.Module, _args: tuple, result: Tensor) -> None:
    """PyTorch 2.13 misreads gradients of batch normalization whose strides are those of channels last only at first sight."""
    if result.requires_grad:
        result.register_hook(lambda grad: grad.contiguous())


def exact(network: nn.Module, loss: str, x: Tensor, target: Tensor, noise: float = 0) -> tuple[Numbers, Numbers]:
    """The same in float64, after each parameter and input was changed by `noise` of itself."""
    network = copy.deepcopy(network).double()
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._NormBase):
            module.register_forward_hook(with_rows)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(1 + noise * torch.randn_like(parameter))
    x = x.double()
    x = x * (1 + noise * torch.randn_like(x))
    return gradients_of(network, loss, x, target.double() if target.is_floating_point() else target)


def scales(gradients: Numbers) -> Numbers:
    """What is usual in each gradient, at least a hundredth of that in the largest: one that is smaller is what others left over."""
    usual = {name: g.double().pow(2).mean().sqrt() for name, g in gradients.items()}
    largest = max([size for name, size in usual.items() if name != "loss"])
    return {name: size.clamp_min(1e-6 if name == "loss" else max(1e-12, 0.01 * float(largest))) for name, size in usual.items()}


def is_near(found: Numbers, right: Numbers, share: float = 2e-5) -> bool:
    usual = scales(right)
    return all(bool(((found[name] - g).abs() <= share * (usual[name] + g.abs())).all()) for name, g in right.items())


def example(number: int) -> tuple[Network, str, bool, Tensor, Tensor] | None:
    """The network of a number, its loss, whether the loss is part of the program, and its inputs."""
    torch.manual_seed(number)
    rng = random.Random(number)
    shape, training = rng.choice(SHAPES), rng.random() < 0.5
    x = torch.randn(shape)
    network = Network().train(training)
    network.grow(rng, x, rng.randint(3, 8))
    with torch.no_grad():
        result = copy.deepcopy(network)(x)
    inside, classes = rng.random() < 0.5, rng.random() < 0.3
    loss = "classes" if classes and result.dim() > 1 else rng.choice(["weighted", "squares", "smooth"] if inside else ["squares"])
    labels = torch.randint(0, result.shape[1], (result.shape[0], *result.shape[2:]))
    target = labels if loss == "classes" else torch.randn(result.shape)
    return (network, loss, inside, x, target) if any(True for _ in network.parameters()) else None


def write(folder: str, number: int) -> None:
    made = example(number)
    if made is None:
        return
    network, loss, inside, x, target = made
    right, buffers = exact(network, loss, x, target)
    found, _ = gradients_of(network, loss, x, target)
    if not is_near(found, right) or not is_near(exact(network, loss, x, target, 1e-6)[0], right, 1e-4):
        return
    module, args = (WithLoss(network, loss), (x, target)) if inside else (network, (x,))
    # Any batch, where PyTorch finds that the network takes any.
    sizes = tuple({0: Dim.AUTO} for _ in args) if number % 4 == 0 else None
    program = torch.export.export(copy.deepcopy(module), args, dynamic_shapes=sizes)
    torch.export.save(program, os.path.join(folder, f"{number}.pt2"))
    prefix = {name: name.replace(".", ".network.", 1) if inside else name for name in (*right, *buffers) if name.startswith(("grad.", "buffer."))}
    tensors = {"input.0": x, "input.1": target, **{prefix.get(name, name): g for name, g in {**right, **buffers}.items()}}
    tensors = {name: g.float() if g.dtype == torch.float64 else g for name, g in tensors.items()}
    save_file({name: g.contiguous() for name, g in tensors.items()}, os.path.join(folder, f"{number}.safetensors"))


def main(folder: str, first: int, last: int) -> None:
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    for number in range(first, last):
        write(folder, number)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
