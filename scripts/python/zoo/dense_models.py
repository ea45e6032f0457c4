"""Networks that say something of every pixel, and networks of video, random weights and small pictures."""

from collections.abc import Callable

import torch
import transformers as hf
from torch import nn
from torchvision import models

from pt2files import Call
from zoo.spec import Spec, image


def _torchvision(name: str, **more: object) -> Callable[[bool], nn.Module]:
    return lambda _small: models.get_model(name, weights=None, **more)


def _segformer(_small: bool) -> nn.Module:
    return hf.SegformerForSemanticSegmentation(hf.SegformerConfig(num_labels=7))


def _two_pictures() -> list[Call]:
    return [Call((torch.randn(1, 3, 128, 136), torch.randn(1, 3, 128, 136)), {"num_flow_updates": 3})]


SPECS = [
    Spec("lraspp_mobilenet_v3_large", _torchvision("lraspp_mobilenet_v3_large", weights_backbone=None), image(1, 3, 96, 128)),
    Spec("deeplabv3_mobilenet_v3_large", _torchvision("deeplabv3_mobilenet_v3_large", weights_backbone=None), image(1, 3, 96, 128)),
    Spec("segformer", _segformer, lambda: [Call((torch.randn(1, 3, 64, 96),))]),
    Spec("r3d_18", _torchvision("r3d_18"), image(1, 3, 4, 48, 64)),
    Spec("raft_small", _torchvision("raft_small"), _two_pictures),
]
