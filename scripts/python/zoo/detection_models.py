"""Detectors of transformers that need no suppression of overlapping boxes, small ones and some of their real size."""

from typing import Any

import torch
import transformers as hf

from pt2files import Call
from zoo.spec import Spec

# Layers of a transformer that is small, under the names that most configurations have.
SMALL = {
    "d_model": 48,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "num_queries": 20,
    "num_labels": 7,
}
# With the usual range all queries find the same, whatever is in the picture.
SMALL_DETR = SMALL | {"init_std": 0.2}
# With the usual range the signal falls below the epsilon of normalizations, and rounding decides which boxes are chosen.
SMALL_RT = SMALL | {
    "initializer_range": 0.1,
    "encoder_hidden_dim": 48,
    "encoder_in_channels": [32, 48, 64],
    "decoder_in_channels": [48, 48, 48],
    "encoder_layers": 1,
    "num_denoising": 0,
}


def _resnet(kind: type = hf.ResNetConfig, **more: Any) -> Any:
    return kind(embedding_size=16, hidden_sizes=[24, 32, 48, 64], depths=[1, 1, 1, 1], out_features=["stage2", "stage3", "stage4"], **more)


def _picture(height: int, width: int) -> list[Call]:
    return [Call(kwargs={"pixel_values": torch.randn(1, 3, height, width)})]


def _yolos(**sizes: Any) -> torch.nn.Module:
    return hf.YolosForObjectDetection(hf.YolosConfig(num_labels=7, **sizes))


def _small_yolos() -> torch.nn.Module:
    sizes = {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 96}
    # As for SMALL_DETR.
    return _yolos(initializer_range=0.2, image_size=[64, 96], num_detection_tokens=12, **sizes)


def _detr(model: Any, config: Any, **more: Any) -> torch.nn.Module:
    return model(config(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, **more))


def _d_fine() -> torch.nn.Module:
    backbone = hf.HGNetV2Config(
        stem_channels=[3, 8, 16],
        hidden_sizes=[24, 32, 48, 64],
        stage_in_channels=[16, 24, 32, 48],
        stage_mid_channels=[8, 8, 16, 16],
        stage_out_channels=[24, 32, 48, 64],
        stage_num_blocks=[1, 1, 1, 1],
        stage_numb_of_layers=[2, 2, 2, 2],
        out_features=["stage2", "stage3", "stage4"],
    )
    return hf.DFineForObjectDetection(hf.DFineConfig(backbone_config=backbone, **SMALL_RT))


SPECS = [
    Spec("yolos", lambda _small: _small_yolos(), lambda: _picture(64, 96)),
    Spec("detr", lambda _small: _detr(hf.DetrForObjectDetection, hf.DetrConfig, backbone_config=_resnet(), **SMALL_DETR), lambda: _picture(96, 128)),
    Spec(
        "conditional_detr",
        lambda _small: _detr(hf.ConditionalDetrForObjectDetection, hf.ConditionalDetrConfig, backbone_config=_resnet(), **SMALL_DETR),
        lambda: _picture(96, 128),
    ),
    Spec(
        "deformable_detr",
        lambda _small: _detr(
            hf.DeformableDetrForObjectDetection,
            hf.DeformableDetrConfig,
            backbone_config=_resnet(),
            two_stage=True,
            with_box_refine=True,
            two_stage_num_proposals=20,
            **SMALL | {"d_model": 64},
        ),
        lambda: _picture(96, 128),
    ),
    Spec(
        "rt_detr",
        lambda _small: hf.RTDetrForObjectDetection(hf.RTDetrConfig(backbone_config=_resnet(hf.RTDetrResNetConfig), **SMALL_RT)),
        lambda: _picture(96, 128),
    ),
    Spec(
        "rt_detr_v2",
        lambda _small: hf.RTDetrV2ForObjectDetection(hf.RTDetrV2Config(backbone_config=_resnet(hf.RTDetrResNetConfig), **SMALL_RT)),
        lambda: _picture(96, 128),
    ),
    Spec("d_fine", lambda _small: _d_fine(), lambda: _picture(96, 128)),
]
