"""Trains a small network with PyTorch's optimizers: `python train_steps.py OUT`.

`digits.pt2` is the forward pass with its loss before training, `batches.safetensors` has the inputs of every step
(`0.0` is the first input of the first step), and `OPTIMIZER.safetensors` has the loss of each step and the parameters
after the last one, for each way of training in `WAYS`.
"""

import copy
import os
import sys
from collections.abc import Callable
from typing import NamedTuple

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
import torch
from safetensors.torch import save_file
from torch import nn, optim

from training.zoo import STEPS

COUNT = 100


class Way(NamedTuple):
    optimizer: Callable[[list], optim.Optimizer]
    schedule: Callable[[optim.Optimizer], optim.lr_scheduler.LRScheduler] | None = None
    clip: float | None = None
    limit: float | None = None
    accumulate: int = 1


def groups(parameters: list) -> list[dict]:
    weights = [p for p in parameters if p.dim() > 1]
    return [{"params": weights}, {"params": [p for p in parameters if p.dim() <= 1], "lr": 3e-3, "weight_decay": 0.0}]


WAYS = {
    "adamw": Way(lambda p: optim.AdamW(p, lr=1e-3, weight_decay=0.01, foreach=False)),
    "adam": Way(lambda p: optim.Adam(p, lr=2e-3, betas=(0.8, 0.99), weight_decay=0.1, amsgrad=True, foreach=False)),
    "sgd": Way(lambda p: optim.SGD(p, lr=1e-2, momentum=0.9, nesterov=True, weight_decay=1e-3, foreach=False)),
    "dampened": Way(lambda p: optim.SGD(p, lr=1e-2, momentum=0.9, dampening=0.2, foreach=False)),
    "adagrad": Way(lambda p: optim.Adagrad(p, lr=1e-2, lr_decay=0.01, weight_decay=1e-3, initial_accumulator_value=0.1, foreach=False)),
    "adadelta": Way(lambda p: optim.Adadelta(p, lr=0.5, rho=0.8, eps=1e-4, weight_decay=1e-3, foreach=False)),
    "rmsprop": Way(lambda p: optim.RMSprop(p, lr=1e-3, alpha=0.9, momentum=0.5, centered=True, weight_decay=1e-3, foreach=False)),
    "clipped": Way(
        lambda p: optim.AdamW(groups(p), lr=1e-3, foreach=False),
        lambda o: optim.lr_scheduler.CosineAnnealingLR(o, T_max=COUNT // 4),
        0.5,
        accumulate=4,
    ),
    "limited": Way(lambda p: optim.SGD(p, lr=1e-1, momentum=0.9, foreach=False), clip=0.5, limit=0.01),
    "rising adamw": Way(lambda p: optim.AdamW(p, lr=1e-4, weight_decay=0.01, maximize=True, foreach=False)),
    "rising adam": Way(lambda p: optim.Adam(p, lr=1e-4, weight_decay=0.1, amsgrad=True, maximize=True, foreach=False)),
    "rising sgd": Way(lambda p: optim.SGD(p, lr=1e-3, momentum=0.9, nesterov=True, weight_decay=1e-3, maximize=True, foreach=False)),
    "rising adagrad": Way(lambda p: optim.Adagrad(p, lr=1e-3, weight_decay=1e-3, maximize=True, foreach=False)),
    "rising rmsprop": Way(lambda p: optim.RMSprop(p, lr=1e-4, momentum=0.5, weight_decay=1e-3, maximize=True, foreach=False)),
}


def train(module: nn.Module, batches: list, way: Way) -> dict[str, torch.Tensor]:
    module, losses = copy.deepcopy(module), []
    optimizer = way.optimizer(list(module.parameters()))
    schedule = None if way.schedule is None else way.schedule(optimizer)
    for i, batch in enumerate(batches):
        loss = module(*batch)[0]
        losses.append(loss.detach())
        (loss / way.accumulate).backward()
        if (i + 1) % way.accumulate != 0:
            continue
        if way.clip is not None:
            nn.utils.clip_grad_norm_(module.parameters(), way.clip)
        if way.limit is not None:
            nn.utils.clip_grad_value_(module.parameters(), way.limit)
        optimizer.step()
        optimizer.zero_grad()
        if schedule is not None:
            schedule.step()
    return {"losses": torch.stack(losses), **{name: value.detach() for name, value in module.named_parameters()}}


def main() -> None:
    folder = sys.argv[1]
    torch.set_num_threads(1)
    torch.manual_seed(7)
    step = STEPS["digits"]
    module = step.module().train()
    batches = [step.inputs() for _ in range(COUNT)]
    torch.export.save(torch.export.export(module, batches[0]), os.path.join(folder, "digits.pt2"))
    tensors = {f"{i}.{k}": tensor for i, batch in enumerate(batches) for k, tensor in enumerate(batch)}
    save_file(tensors, os.path.join(folder, "batches.safetensors"))
    for name, way in WAYS.items():
        save_file(train(module, batches, way), os.path.join(folder, f"{name}.safetensors"))


if __name__ == "__main__":
    main()
