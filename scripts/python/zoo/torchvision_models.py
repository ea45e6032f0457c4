"""The torchvision classifiers, random weights. Images are small and not square where the architecture allows."""

from collections.abc import Callable

import torch
from torch import nn
from torchvision import models

from pt2files import Call
from zoo.spec import Spec, image


def _classifier(name: str) -> Callable[[bool], nn.Module]:
    def build(small: bool) -> nn.Module:
        options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        model = models.get_model(name, weights=None, **options)
        if small and name in ("alexnet", "vgg11"):
            model.classifier = _narrow(model.classifier)
        return model

    return build


def _narrow(classifier: nn.Sequential) -> nn.Sequential:
    """The same head with 256 hidden features instead of 4096."""

    def shrunk(layer: nn.Module) -> nn.Module:
        if not isinstance(layer, nn.Linear):
            return layer
        width = {4096: 256}
        return nn.Linear(width.get(layer.in_features, layer.in_features), width.get(layer.out_features, layer.out_features))

    return nn.Sequential(*map(shrunk, classifier))


def _dynamic_batch() -> dict[str, dict[int, torch.export.Dim]]:
    return {"x": {0: torch.export.Dim("batch", min=1, max=64)}}


SIZES = {
    "resnet18": (1, 3, 96, 128),
    "mobilenet_v3_large": (1, 3, 96, 128),
    "vit_b_16": (1, 3, 224, 224),
    "shufflenet_v2_x1_0": (2, 3, 96, 128),
    "swin_t": (1, 3, 224, 224),
    "alexnet": (1, 3, 96, 128),
    "squeezenet1_1": (2, 3, 96, 128),
    "mobilenet_v2": (1, 3, 96, 128),
    "resnet50": (1, 3, 128, 96),
    "densenet121": (1, 3, 96, 128),
    "googlenet": (2, 3, 96, 128),
    "inception_v3": (1, 3, 139, 171),
    "convnext_tiny": (1, 3, 96, 128),
    "efficientnet_b0": (1, 3, 96, 128),
    "mnasnet1_0": (1, 3, 96, 128),
    "swin_v2_t": (1, 3, 128, 160),
    "maxvit_t": (1, 3, 224, 224),
    "vgg11": (1, 3, 96, 128),
}

SPECS = [Spec(name, _classifier(name), image(*size)) for name, size in SIZES.items()]
SPECS.insert(
    1, Spec("resnet18_dynamic", _classifier("resnet18"), lambda: [Call((torch.randn(batch, 3, 64, 96),)) for batch in (2, 1, 5)], _dynamic_batch)
)
