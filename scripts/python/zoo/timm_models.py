"""Ten timm models of ten families, random weights."""

from collections.abc import Callable

import timm
import torch

from zoo.spec import Spec, image

SIZES = {
    "convnextv2_atto": (1, 3, 96, 128),
    "mixer_s32_224": (1, 3, 224, 224),
    "deit_tiny_patch16_224": (1, 3, 224, 224),
    "ghostnet_100": (1, 3, 96, 128),
    "repvgg_a0": (1, 3, 96, 128),
    "levit_128s": (1, 3, 224, 224),
    "poolformer_s12": (1, 3, 96, 128),
    "xcit_nano_12_p16_224": (1, 3, 224, 224),
    "mobilevit_xxs": (1, 3, 128, 128),
    "nfnet_l0": (1, 3, 96, 128),
}


def _timm(name: str) -> Callable[[bool], torch.nn.Module]:
    return lambda _small: timm.create_model(name, pretrained=False, num_classes=100)


SPECS = [Spec(name, _timm(name), image(*size)) for name, size in SIZES.items()]
