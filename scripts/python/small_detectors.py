"""torchvision's detectors with small networks, for fixtures: the same code after them, a few thousand weights."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn
from torchvision.models import detection as tv
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.ops import MultiScaleRoIAlign

SIZE = (48, 64)
LEVELS = ["0", "1", "2"]


class Pyramid(nn.Module):
    """Features of 1/4, 1/8 and 1/16 of the picture's size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.out_channels = channels
        widths = [3, channels, channels, channels, channels]
        self.down = nn.ModuleList(nn.Sequential(nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU()) for a, b in pairwise(widths))

    def forward(self, image: Tensor) -> dict[str, Tensor]:
        maps, x = [], image
        for layer in self.down:
            x = layer(x)
            maps.append(x)
        return OrderedDict(zip(LEVELS, maps[1:], strict=True))


def _anchors(ratios: tuple[float, ...] = (0.5, 1.0, 2.0)) -> AnchorGenerator:
    return AnchorGenerator(((10,), (20,), (36,)), (ratios,) * 3)


def _ssd() -> nn.Module:
    backbone = Pyramid(8)
    backbone.out_channels = [8, 8, 8]
    return tv.ssd.SSD(backbone, DefaultBoxGenerator([[2], [2], [2]]), SIZE[::-1], 5, topk_candidates=30, detections_per_img=20)


def _retinanet() -> nn.Module:
    return tv.RetinaNet(Pyramid(8), 5, anchor_generator=_anchors(), topk_candidates=40, detections_per_img=20)


def _fcos() -> nn.Module:
    head = tv.fcos.FCOSHead(32, 1, 5, num_convs=1)
    return tv.FCOS(Pyramid(32), 5, anchor_generator=_anchors((1.0,)), head=head, topk_candidates=40, detections_per_img=20)


def _rcnn(kind: Callable[..., nn.Module], classes: int = 5, **more: object) -> nn.Module:
    return kind(
        Pyramid(8),
        rpn_anchor_generator=_anchors(),
        rpn_pre_nms_top_n_test=40,
        rpn_post_nms_top_n_test=20,
        box_detections_per_img=6,
        box_roi_pool=MultiScaleRoIAlign(LEVELS, 5, 2),
        box_head=tv.faster_rcnn.TwoMLPHead(8 * 25, 24),
        box_predictor=tv.faster_rcnn.FastRCNNPredictor(24, classes),
        **more,
    )


def _mask_rcnn() -> nn.Module:
    heads = {"mask_head": MaskRCNNHeads(8, (8,), 1), "mask_predictor": MaskRCNNPredictor(8, 8, 5)}
    return _rcnn(tv.MaskRCNN, mask_roi_pool=MultiScaleRoIAlign(LEVELS, 14, 2), **heads)


def _keypoint_rcnn() -> nn.Module:
    heads = {"keypoint_head": KeypointRCNNHeads(8, (12,)), "keypoint_predictor": KeypointRCNNPredictor(12, 4)}
    return _rcnn(tv.KeypointRCNN, 2, keypoint_roi_pool=MultiScaleRoIAlign(LEVELS, 14, 2), **heads)


def _built(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        model = make().eval()
        if model.transform.fixed_size is None:
            model.transform.min_size, model.transform.max_size = (min(SIZE),), max(SIZE)
        return model

    return build


MODELS: dict[str, Callable[[], torch.nn.Module]] = {
    "small_ssd": _built(_ssd),
    "small_retinanet": _built(_retinanet),
    "small_fcos": _built(_fcos),
    "small_faster_rcnn": _built(lambda: _rcnn(tv.FasterRCNN)),
    "small_mask_rcnn": _built(_mask_rcnn),
    "small_keypoint_rcnn": _built(_keypoint_rcnn),
}
"""Models for pictures of SIZE, by name; weights are those of construction."""
