"""Import this before anything that may import torchvision (timm and transformers do).

The wheel's native library asks for the exact torch build it was linked with. Its models are plain Python; importing
them only needs the schemas of three operators to exist.
"""

import torch

_library = torch.library.Library("torchvision", "FRAGMENT")
for _schema in (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "int sampling_ratio, bool aligned) -> Tensor",
):
    if not hasattr(torch.ops.torchvision, _schema.split("(")[0]):
        _library.define(_schema)
