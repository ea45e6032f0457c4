"""Random weights under which a network neither dies nor explodes, and in which every parameter matters.

A freshly built network hides mistakes: its normalizations are the identity, its biases and its last layers are
often zero, its residual branches scaled by 1e-6. Here every constant parameter becomes random, and the running
statistics of batch normalizations are those of a real batch, disturbed.
"""

import math

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from pt2files import Call


def enliven(module: nn.Module, call: Call) -> nn.Module:
    """Randomizes `module` in place (torch's global seed decides) and returns it in evaluation mode."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.is_floating_point() and parameter.min() == parameter.max():
                _randomize(parameter)
        if not any("Norm" in type(m).__name__ for m in module.modules()):
            _spread(module)
        # What is measured behind frozen normalizations depends on them.
        _measure_frozen_statistics(module.eval(), call)
        _measure_statistics(module, call)
    return module


def _spread(module: nn.Module) -> None:
    """PyTorch's default weights halve the signal at every layer; without normalizations nothing restores it."""
    for layer in module.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")


def _randomize(parameter: nn.Parameter) -> None:
    value = parameter.flatten()[0].item()
    is_vector = parameter.numel() == max(parameter.shape, default=1)
    if not is_vector:
        nn.init.normal_(parameter, 0, 1 / math.sqrt(parameter[0].numel()))
    elif parameter.numel() == 1:
        parameter.fill_(value or 0.3)
    elif value == 0:
        nn.init.uniform_(parameter, -0.2, 0.2)
    elif abs(value) <= 0.01:  # a layer scale
        nn.init.uniform_(parameter, 0.2, 0.6)
    else:
        parameter.mul_(torch.empty_like(parameter).uniform_(0.6, 1.4))


def _measure_statistics(module: nn.Module, call: Call) -> None:
    norms = [m for m in module.modules() if isinstance(m, _BatchNorm) and m.track_running_stats]
    if not norms:
        return
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the average over all batches seen
        norm.train()
    batch = [torch.randn(4, *a.shape[1:]) if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in call.args]
    module(*batch, **call.kwargs)
    for norm in norms:
        norm.eval()
        norm.momentum = 0.1
        norm.running_mean += norm.running_var.sqrt() * torch.empty_like(norm.running_mean).uniform_(-0.1, 0.1)
        norm.running_var *= torch.empty_like(norm.running_var).uniform_(0.85, 1.2)


def _measure_frozen_statistics(module: nn.Module, call: Call) -> None:
    """Normalizations of detectors never measure; each gets the statistics of what it sees once those before it have theirs."""

    def measure(norm: nn.Module, inputs: tuple[torch.Tensor]) -> None:
        variance, mean = torch.var_mean(inputs[0], (0, 2, 3), correction=0)
        norm.running_mean.copy_(mean + variance.sqrt() * torch.empty_like(mean).uniform_(-0.1, 0.1))
        norm.running_var.copy_(variance * torch.empty_like(variance).uniform_(0.85, 1.2))
        norm.weight.mul_(torch.empty_like(norm.weight).uniform_(0.6, 1.4))
        norm.bias.add_(torch.empty_like(norm.bias).uniform_(-0.2, 0.2))

    frozen = [m for m in module.modules() if "FrozenBatchNorm" in type(m).__name__]
    hooks = [norm.register_forward_pre_hook(measure) for norm in frozen]
    if frozen:
        module(*call.args, **call.kwargs)
    for hook in hooks:
        hook.remove()
