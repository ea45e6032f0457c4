"""Import this before anything that may import torchvision (timm and transformers do).

The wheel's native library asks for the exact torch build it was linked with. Where it has another, its models, which are
plain Python, only need the schemas of three operators to exist.
"""

import importlib.util
import pathlib

import torch

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "int sampling_ratio, bool aligned) -> Tensor",
)


def _has_library() -> bool:
    package = importlib.util.find_spec("torchvision")
    if package is None or package.origin is None:
        return False
    try:
        torch.ops.load_library(pathlib.Path(package.origin).parent / "_C.so")
    except OSError:
        return False
    return True


if not _has_library():
    _library = torch.library.Library("torchvision", "FRAGMENT")
    for _schema in _SCHEMAS:
        _library.define(_schema)
