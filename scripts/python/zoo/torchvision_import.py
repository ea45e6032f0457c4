"""`torchvision.models` without torchvision's native library.

The wheel's own library asks for the exact torch build it was linked with. Its models are plain PyTorch; importing
them only needs the schemas of three operators to exist.
"""
import torch

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
)

_library = torch.library.Library("torchvision", "FRAGMENT")
for _schema in _SCHEMAS:
    if not hasattr(torch.ops.torchvision, _schema.split("(")[0]):
        _library.define(_schema)

from torchvision import models  # noqa: E402

__all__ = ["models"]
