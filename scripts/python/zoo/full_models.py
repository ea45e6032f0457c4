"""Networks of their real size, random weights and small pictures: detectors, depth, segmentation, video, flow, speech."""

from collections.abc import Callable

import torch
import transformers as hf
from torch import nn
from torchvision import models
from transformers.models.d_fine.modeling_d_fine import DFineConvNormLayer
from transformers.models.hgnet_v2.modeling_hgnet_v2 import HGNetV2ConvLayer
from transformers.models.resnet.modeling_resnet import ResNetBottleNeckLayer

from pt2files import Call
from zoo.spec import Spec, image

LEVELS = ["stage2", "stage3", "stage4"]
# Without these the usual range lets the signal fall below the epsilon of normalizations, and rounding decides what is chosen.
LIVELY = {"initializer_range": 0.05, "num_denoising": 0}


def _torchvision(name: str) -> Callable[[bool], nn.Module]:
    return lambda _small: models.get_model(name, weights=None)


def _calm(model: nn.Module) -> nn.Module:
    """Fifty layers amplify rounding a thousand times, in PyTorch too, unless branches are weaker than what they are added to.

    Without branches most of what is rectified is to be above zero.
    """
    for module in model.modules():
        if isinstance(module, models.resnet.Bottleneck):
            module.bn3.weight.data.fill_(0.3)
        elif isinstance(module, ResNetBottleNeckLayer):
            module.layer[-1].normalization.weight.data.fill_(0.3)
        elif isinstance(module, HGNetV2ConvLayer | DFineConvNormLayer):
            norm = module.normalization if isinstance(module, HGNetV2ConvLayer) else module.norm
            norm.bias.data.fill_(1.0)
    return model


def _segmentation(name: str) -> Callable[[bool], nn.Module]:
    return lambda _small: _calm(models.get_model(name, weights=None, weights_backbone=None))


def _spread_head(model: nn.Module) -> nn.Module:
    """The default weights of convolutions without normalization let depths become almost the same everywhere."""
    layers = [*model.neck.modules(), *model.head.modules()]
    convolutions = [layer for layer in layers if isinstance(layer, nn.Conv2d | nn.ConvTranspose2d)]
    for layer in convolutions:
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    convolutions[-1].weight.data.mul_(0.1)
    return model


def _picture(height: int, width: int) -> Callable[[], list[Call]]:
    return lambda: [Call(kwargs={"pixel_values": torch.randn(1, 3, height, width)})]


def _yolos(_small: bool) -> nn.Module:
    return hf.YolosForObjectDetection(hf.YolosConfig(image_size=[96, 128]))


def _detr(_small: bool) -> nn.Module:
    backbone = hf.ResNetConfig(out_features=["stage4"])
    config = hf.DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone)
    return _calm(hf.DetrForObjectDetection(config))


def _rt_detr(_small: bool) -> nn.Module:
    """rtdetr_r18vd."""
    backbone = hf.RTDetrResNetConfig(hidden_sizes=[64, 128, 256, 512], depths=[2, 2, 2, 2], layer_type="basic", out_features=LEVELS)
    sizes = {"encoder_in_channels": [128, 256, 512], "hidden_expansion": 0.5, "decoder_layers": 3, "num_queries": 300}
    return hf.RTDetrForObjectDetection(hf.RTDetrConfig(backbone_config=backbone, **sizes, **LIVELY))


def _d_fine(_small: bool) -> nn.Module:
    """dfine_s, with fewer queries: of 300 that are nearly equal, rounding decides which come first, in PyTorch too."""
    backbone = hf.HGNetV2Config(
        stem_channels=[3, 16, 16],
        hidden_sizes=[64, 256, 512, 1024],
        stage_in_channels=[16, 64, 256, 512],
        stage_mid_channels=[16, 32, 64, 128],
        stage_out_channels=[64, 256, 512, 1024],
        stage_num_blocks=[1, 1, 2, 1],
        stage_numb_of_layers=[3, 3, 3, 3],
        use_learnable_affine_block=True,
        out_features=LEVELS,
    )
    sizes = {"encoder_in_channels": [256, 512, 1024], "hidden_expansion": 0.5, "depth_mult": 0.34, "decoder_layers": 3, "num_queries": 30}
    return _calm(hf.DFineForObjectDetection(hf.DFineConfig(backbone_config=backbone, **sizes, **LIVELY)))


def _dpt(_small: bool) -> nn.Module:
    """dpt-large."""
    return _spread_head(hf.DPTForDepthEstimation(hf.DPTConfig(image_size=128)))


def _depth_anything(_small: bool) -> nn.Module:
    """depth-anything-small."""
    backbone = hf.Dinov2Config(
        hidden_size=384,
        num_attention_heads=6,
        out_indices=[9, 10, 11, 12],
        apply_layernorm=True,
        reshape_hidden_states=False,
        image_size=518,
    )
    sizes = {"reassemble_hidden_size": 384, "neck_hidden_sizes": [48, 96, 192, 384], "fusion_hidden_size": 64}
    return _spread_head(hf.DepthAnythingForDepthEstimation(hf.DepthAnythingConfig(backbone_config=backbone, **sizes)))


def _mask2former(_small: bool) -> nn.Module:
    """mask2former-swin-tiny."""
    backbone = hf.SwinConfig(depths=[2, 2, 6, 2], image_size=224, out_features=["stage1", *LEVELS])
    return hf.Mask2FormerForUniversalSegmentation(hf.Mask2FormerConfig(backbone_config=backbone, num_labels=7))


def _owl_vit(_small: bool) -> nn.Module:
    """owlvit-base-patch32, with a smaller picture."""
    config = hf.OwlViTConfig(vision_config={"image_size": 128})
    return hf.OwlViTForObjectDetection(config)


def _picture_and_words() -> list[Call]:
    words = torch.randint(3, 49000, (2, 16))
    words[:, -1] = 49407
    return [Call(kwargs={"input_ids": words, "pixel_values": torch.randn(1, 3, 128, 128), "attention_mask": torch.ones_like(words)})]


def _swin2sr(_small: bool) -> nn.Module:
    return hf.Swin2SRForImageSuperResolution(hf.Swin2SRConfig(embed_dim=180, depths=[6] * 6, num_heads=[6] * 6, upscale=2))


def _wav2vec2(_small: bool) -> nn.Module:
    """wav2vec2-base, for speech of 0.4 seconds."""
    return hf.Wav2Vec2ForCTC(hf.Wav2Vec2Config())


def _two_pictures() -> list[Call]:
    return [Call((torch.randn(1, 3, 128, 136), torch.randn(1, 3, 128, 136)), {"num_flow_updates": 3})]


SPECS = [
    Spec("yolos_base", _yolos, _picture(96, 128)),
    Spec("detr_resnet50", _detr, _picture(128, 160)),
    Spec("rt_detr_r18", _rt_detr, _picture(160, 192)),
    Spec("d_fine_s", _d_fine, _picture(160, 192)),
    Spec("dpt_large", _dpt, _picture(128, 128)),
    Spec("fcn_resnet50", _segmentation("fcn_resnet50"), image(1, 3, 96, 128)),
    Spec("deeplabv3_resnet50", _segmentation("deeplabv3_resnet50"), image(1, 3, 96, 128)),
    Spec("mvit_v2_s", _torchvision("mvit_v2_s"), image(1, 3, 16, 224, 224)),
    Spec("r2plus1d_18", _torchvision("r2plus1d_18"), image(1, 3, 4, 48, 64)),
    Spec("mc3_18", _torchvision("mc3_18"), image(1, 3, 4, 48, 64)),
    Spec("swin3d_t", _torchvision("swin3d_t"), image(1, 3, 8, 64, 96)),
    Spec("raft_large", _torchvision("raft_large"), _two_pictures),
    Spec("depth_anything_small", _depth_anything, _picture(98, 126)),
    Spec("mask2former_swin_tiny", _mask2former, _picture(96, 128)),
    Spec("owlvit_base", _owl_vit, _picture_and_words),
    Spec("swin2sr", _swin2sr, _picture(32, 40)),
    Spec("wav2vec2_base", _wav2vec2, lambda: [Call((torch.randn(1, 6400),))]),
]
