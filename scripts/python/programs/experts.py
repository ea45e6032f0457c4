"""A mixture of experts as transformers exports it: rows sorted by expert, products by group in an op of its own."""

import torch
from torch import nn

from programs.program import Program, calls


def _mixtral() -> nn.Module:
    # torchvision_schemas comes before transformers, see there; only this program needs the two.
    from transformers import MixtralConfig
    from transformers.models.mixtral.modeling_mixtral import MixtralSparseMoeBlock

    import torchvision_schemas  # noqa: F401

    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_local_experts": 4, "num_experts_per_tok": 2}
    block = MixtralSparseMoeBlock(MixtralConfig(**sizes, experts_implementation="grouped_mm"))
    for parameter in block.parameters():
        nn.init.normal_(parameter, std=0.3)
    return block


PROGRAMS = [Program("mixtral", _mixtral, lambda: calls((torch.randn(2, 7, 16),), (torch.randn(2, 7, 16),)))]
