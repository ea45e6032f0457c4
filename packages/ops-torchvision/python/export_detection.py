"""Exports detectors with `torch.export`, pictures in, boxes out.

    python export_detection.py ssdlite320_mobilenet_v3_large -o ssdlite.pt2 --weights DEFAULT --check

writes `ssdlite.pt2`, the program, and `ssdlite.json`, which says what to do with pictures and what the classes are called.
MODEL is a detection model of torchvision, or a folder that transformers saved (DETR, YOLOS, RT-DETR, D-FINE). This file needs
nothing but torch and torchvision, and transformers for such a folder: copy it to where you want it.

Every program takes `image`, float32 [1, 3, H, W], RGB from 0 to 1; normalizing is inside. It returns a dict:

- `boxes` float32 [n, 4]: x1, y1, x2, y2 in pixels of `image`; `scores` float32 [n], descending; `labels` int64 [n]
- `masks` float32 [n, 1, 28, 28]: probabilities inside the box, before they are pasted (Mask R-CNN)
- `keypoints` float32 [n, k, 3] and `keypoints_scores` float32 [n, k] (Keypoint R-CNN)

n depends on the picture and may be 0.

The file goes the way of a model: it is found with its weights, becomes a detector that `torch.export` can export, a program,
and two files; the program is compared with the original code; the command line, last, calls one after the other.
"""

import argparse
import copy
import inspect
import json
import math
import pathlib
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
import torchvision
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.export import Dim, ExportedProgram
from torch.nn import functional as F
from torchvision.models import detection
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import FrozenBatchNorm2d

Size = tuple[int, int]
"""Height and width."""

Detections = dict[str, Tensor]


class Refused(Exception):
    """What a user gave does not fit; the message is one sentence that says why."""


def first_line(error: BaseException) -> str:
    """The first line of a message, or what kind of error it is."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


# ---- A model: one of torchvision with weights, or a folder that transformers saved ----------------------------------------------


@dataclass
class Loaded:
    """A detector, and what is known of its pictures and classes."""

    detector: nn.Module
    size: Size
    """The size of the pictures that it is exported for."""
    longest: int
    """The longer side of a picture whose shorter side is that of `size` may have this length."""
    image: dict[str, Any]
    """How a picture gets that size, in the words of the preset."""
    labels: list[str]
    """The names of the classes; empty where nothing tells them."""
    classes: int
    check: Callable[[nn.Module, Sequence[Tensor]], list[int]]
    """Compares a program with the code that the detector stands for: the rest of `check_torchvision` or `check_transformers`."""
    keypoints: list[str] = field(default_factory=list)


def load_torchvision(name: str, weights: str, size: Size | None) -> Loaded:
    """A model of torchvision with weights of torchvision (`DEFAULT`, …), random ones (`none`), or those of a file."""
    names = torchvision.models.list_models(module=detection)
    if name not in names:
        raise Refused(f"{name} is neither a folder nor a detection model of torchvision, which are {', '.join(names)}")
    known = torchvision.models.get_model_weights(name)
    model = _with_weights(name, weights, known, size).eval()
    transform, counts = model.transform, counts_of(model.state_dict())
    labels, keypoints = known.DEFAULT.meta["categories"], known.DEFAULT.meta.get("keypoint_names", [])
    shortest = transform.min_size[-1]
    if transform.fixed_size is None:
        # torchvision fills with zeros after normalizing: with the mean.
        image = {"fit": "letterbox", "fill": round(sum(transform.image_mean) / 3, 3)}
        size = size or (shortest, shortest)
        longest = min(size) * transform.max_size // shortest
    else:
        image = {"fit": "stretch"}
        size = size or transform.fixed_size[::-1]
        longest = 2 * min(size)
    with _taking(name, size):
        detector = torchvision_detector(model, size)
    return Loaded(
        detector,
        size,
        longest,
        image | {"antialias": False},
        list(labels) if counts["num_classes"] == len(labels) else [],
        counts["num_classes"],
        partial(check_torchvision, model, detector),
        list(keypoints) if counts.get("num_keypoints", 0) == len(keypoints) else [],
    )


def _with_weights(name: str, weights: str, known: Any, size: Size | None) -> nn.Module:
    if weights in known.__members__:
        try:
            return torchvision.models.get_model(name, weights=known[weights])
        except OSError as error:
            raise Refused(f"{known[weights].url} cannot be downloaded: {first_line(error)}; --weights takes a file too, or none") from error
    if weights != "none":
        return _with_state(name, weights, known)
    model = torchvision.models.get_model(name, weights=None, weights_backbone=None)
    with _taking(name, size):
        _measure_normalizations(model, size or (320, 320))
    return model


@contextmanager
def _taking(name: str, size: Size | None) -> Iterator[None]:
    """Layers are the ones that tell which pictures are too small for them."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if size is None:
            raise
        raise Refused(f"{name} does not take pictures of {size[0]} × {size[1]}: {first_line(error)}") from error


def _measure_normalizations(model: nn.Module, size: Size) -> None:
    """Gives the normalizations of an untrained network the statistics of noise.

    Without them the signal dies on its way or explodes, all boxes have the same score, and which are chosen is up to rounding.
    """
    norms = [module for name, module in model.named_modules() if isinstance(module, nn.BatchNorm2d) and "roi_heads" not in name]
    momenta = [norm.momentum for norm in norms]
    model.eval()
    for norm in norms:
        norm.train().momentum = None  # The average over all that it has seen.
    with torch.no_grad():
        features = model.backbone(torch.randn(2, 3, *size))
        maps = [features] if isinstance(features, Tensor) else list(features.values())
        (model.rpn.head if hasattr(model, "rpn") else model.head)(maps)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.eval().momentum = momentum


def _with_state(name: str, file: str, known: Any) -> nn.Module:
    """The model for the classes that a file has weights for, with these weights."""
    if not pathlib.Path(file).is_file():
        raise Refused(f"{file} is neither a file nor among the weights of {name}, which are {', '.join(known.__members__)} and none")
    state = read_state(pathlib.Path(file))
    try:
        model = torchvision.models.get_model(name, weights=None, weights_backbone=None, **counts_of(state))
        missing, unknown = model.load_state_dict(state, strict=False)
    except (RuntimeError, TypeError, ValueError) as error:
        lines = str(error).splitlines()
        raise Refused(f"{file} does not fit {name}: {(lines[1:] or lines)[0].strip()}") from error
    wrong = [f"{len(keys)} {what} ({keys[0]}, …)" for what, keys in (("missing", missing), ("unknown", unknown)) if keys]
    if wrong:
        raise Refused(f"{file} does not fit {name}: of its weights {' and '.join(wrong)}")
    return model


def read_state(file: pathlib.Path) -> dict[str, Tensor]:
    """The state dict of a file of safetensors or `torch.save`; that of a checkpoint lies under `model` or `state_dict`."""
    try:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            state = load_file(file)
        else:
            # Scripts of torchvision keep their arguments in checkpoints.
            with torch.serialization.safe_globals([argparse.Namespace]):
                state = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise Refused(f"{file} holds something else than tensors: save a state dict, torch.save(model.state_dict(), …)") from error
    except Exception as error:  # Each format has errors of its own.
        raise Refused(f"{file} cannot be read: {first_line(error)}") from error
    for key in ("model", "state_dict"):
        if isinstance(state, dict) and isinstance(state.get(key), dict):
            state = state[key]
    if not isinstance(state, dict) or not state or not all(isinstance(value, Tensor) for value in state.values()):
        raise Refused(f"{file} holds no state dict: save one, torch.save(model.state_dict(), …)")
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")  # DistributedDataParallel
    return state


def counts_of(state: dict[str, Tensor]) -> dict[str, int]:
    """How many classes, and keypoints, the weights of a detector are for: what its builder is told."""
    if "roi_heads.box_predictor.cls_score.weight" in state:
        counts = {"num_classes": len(state["roi_heads.box_predictor.cls_score.weight"])}
        points = state.get("roi_heads.keypoint_predictor.kps_score_lowres.weight")
        return counts if points is None else counts | {"num_keypoints": points.shape[1]}

    def rows(head: str) -> int:
        """Of the layer that says most: the last one of a head, at the first level of SSD."""
        keys = [key for key in state if key.startswith(f"head.{head}_head.") and key.endswith(".weight") and state[key].ndim == 4]
        level = [key for key in keys if ".module_list." not in key or ".module_list.0." in key]
        final = [key for key in level if key.rsplit(".", 2)[-2] in ("cls_logits", "bbox_reg")] or level
        return len(state[final[-1]])

    try:
        return {"num_classes": rows("classification") * 4 // rows("regression")}
    except IndexError:
        raise ValueError("it has no layer that tells classes apart") from None


def load_transformers(folder: pathlib.Path, size: Size | None) -> Loaded:
    """The detector of a folder that transformers saved."""
    if not (folder / "config.json").is_file():
        raise Refused(f"{folder} has no config.json: save_pretrained of transformers writes such folders")
    try:
        from transformers import AutoImageProcessor, AutoModelForObjectDetection, logging
    except ImportError as error:
        raise Refused(f"{folder} is a folder of transformers, which cannot be imported: {first_line(error)}") from error
    logging.set_verbosity_error()  # What it would warn of is refused.
    logging.disable_progress_bar()
    options = {"attn_implementation": "eager", "output_loading_info": True, "ignore_mismatched_sizes": True, "local_files_only": True}
    try:
        model, report = AutoModelForObjectDetection.from_pretrained(folder, **options)
    except Exception as error:  # Whatever is wrong with a folder, and wherever it was noticed.
        raise Refused(f"{folder} holds no detector that transformers can load: {first_line(error)}") from error
    wrong = sorted([*report["missing_keys"], *(key for key, *_shapes in report["mismatched_keys"])])
    if wrong:
        raise Refused(f"{folder} has no weights, or weights of another shape, for {len(wrong)} tensors of {type(model).__name__} ({wrong[0]}, …)")
    try:
        # What transformers does with pictures before a model, and with boxes after it.
        processor = AutoImageProcessor.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # As for the model.
        advice = "AutoImageProcessor.from_pretrained(…).save_pretrained(…) puts it there"
        raise Refused(f"{folder} does not say how pictures are prepared, in a preprocessor_config.json: {advice}") from error
    wanted = processor.to_dict()
    mean, std = (wanted["image_mean"], wanted["image_std"]) if wanted.get("do_normalize") else (None, None)
    side = wanted["size"].get("shortest_edge")
    if side is None:
        image = {"fit": "stretch"}
        size = size or (wanted["size"]["height"], wanted["size"]["width"])
        longest = 2 * min(size)
    else:
        image = {"fit": "letterbox", "fill": round(sum(mean) / 3, 3) if mean else 0}
        size = size or (side, side)
        longest = min(size) * (wanted["size"].get("longest_edge") or 2 * side) // side
    if wanted.get("resample") == 3:
        image["interpolation"] = "bicubic"
    labels = [name for _, name in sorted(model.config.id2label.items())]
    detector = TransformersDetector(model.eval(), mean, std)
    return Loaded(detector, size, longest, image, labels, len(labels), partial(check_transformers, detector, processor))


# ---- A detector: the network of a model, and what follows it --------------------------------------------------------------------
#
# What follows the networks of torchvision is written anew here, without branches and loops that depend on data, and gives what
# torchvision's own code gives.


class Detector(nn.Module):
    """A model whose pictures are normalized by the mean and the deviation of each channel, where it wants that."""

    def __init__(self, model: nn.Module, mean: Sequence[float] | None, std: Sequence[float] | None) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("mean", torch.tensor(mean or [0.0] * 3).reshape(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std or [1.0] * 3).reshape(3, 1, 1), persistent=False)

    def normalized(self, image: Tensor) -> Tensor:
        return (image - self.mean) / self.std


def torchvision_detector(model: nn.Module, size: Size) -> "TorchvisionDetector":
    """The detector of a model of torchvision.models.detection, which is copied. `size` is that of a picture."""
    model = copy.deepcopy(model).eval()
    if isinstance(model, detection.ssd.SSD):
        return SsdDetector(model)
    if isinstance(model, detection.RetinaNet | detection.FCOS):
        return DenseDetector(model)
    if isinstance(model, detection.FasterRCNN):
        return RcnnDetector(model, torch.zeros(1, 3, *size))
    raise TypeError(f"{type(model).__name__} is no SSD, RetinaNet, FCOS or R-CNN of torchvision")


class TorchvisionDetector(Detector):
    """What torchvision's detectors have in common: a picture is normalized, padded, and given to the backbone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model, model.transform.image_mean, model.transform.image_std)

    def features(self, image: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """The padded picture, and the feature maps by name."""
        height, width = image.shape[-2:]
        multiple = self.model.transform.size_divisible
        padded = F.pad(self.normalized(image), (0, -width % multiple, 0, -height % multiple))
        features = self.model.backbone(padded)
        return padded, {"0": features} if isinstance(features, Tensor) else features

    def suppressed(self, boxes: Tensor, scores: Tensor, labels: Tensor) -> Detections:
        """What is above the threshold, without what overlaps something better of its class."""
        model = self.model
        return suppressed(boxes, scores, labels, scores > model.score_thresh, model.nms_thresh, model.detections_per_img)


class SsdDetector(TorchvisionDetector):
    """SSD and SSDlite: the best candidates of each class, then suppression. The order is that of torchvision's loop."""

    def forward(self, image: Tensor) -> Detections:
        padded, features = self.features(image)
        maps = list(features.values())
        found = self.model.head(maps)
        anchors = self.model.anchor_generator(ImageList(padded, [tuple(image.shape[-2:])]), maps)[0]
        boxes = clip(self.model.box_coder.decode_single(found["bbox_regression"][0], anchors), image)
        scores, cells = best(F.softmax(found["cls_logits"][0], dim=-1)[:, 1:].t(), self.model.topk_candidates)
        labels = torch.arange(1, scores.shape[0] + 1).unsqueeze(1).expand_as(scores)
        return self.suppressed(boxes[cells.flatten()], scores.flatten(), labels.flatten())


class DenseDetector(TorchvisionDetector):
    """RetinaNet and FCOS: the best candidates of each level of the pyramid, then suppression."""

    def forward(self, image: Tensor) -> Detections:
        padded, features = self.features(image)
        maps = list(features.values())
        found = self.model.head(maps)
        boxes, scores, labels, start = [], [], [], 0
        for anchors in anchors_of(self.model.anchor_generator, padded, maps):
            here, start = slice(start, start + anchors.shape[0]), start + anchors.shape[0]
            level = {name: values[0, here] for name, values in found.items()}
            score, at = best(self.scores(level).flatten(), self.model.topk_candidates)
            classes = level["cls_logits"].shape[-1]
            cells = torch.div(at, classes, rounding_mode="floor")
            boxes.append(clip(self.decode(level["bbox_regression"][cells], anchors[cells]), image))
            scores.append(score)
            labels.append(at % classes)
        return self.suppressed(torch.cat(boxes), torch.cat(scores), torch.cat(labels))

    def scores(self, level: dict[str, Tensor]) -> Tensor:
        scores = torch.sigmoid(level["cls_logits"])
        return torch.sqrt(scores * torch.sigmoid(level["bbox_ctrness"])) if "bbox_ctrness" in level else scores

    def decode(self, codes: Tensor, anchors: Tensor) -> Tensor:
        coder = self.model.box_coder
        return coder.decode_single(codes, anchors) if hasattr(coder, "decode_single") else coder.decode(codes, anchors)


class RcnnDetector(TorchvisionDetector):
    """Faster, Mask and Keypoint R-CNN: proposals, then classes, masks and keypoints of their regions."""

    def __init__(self, model: nn.Module, image: Tensor) -> None:
        """`image` [1, 3, H, W] shows what fraction of the picture's size each level of features has."""
        super().__init__(model)
        _prepare(model.roi_heads)
        with torch.no_grad():
            features = self.features(image)[1]
        self.scales = {name: 2.0 ** round(math.log2(level.shape[-2] / image.shape[-2])) for name, level in features.items()}

    def forward(self, image: Tensor) -> Detections:
        padded, features = self.features(image)
        heads = self.model.roi_heads
        proposals = self.proposals(image, padded, list(features.values()))
        logits, codes = heads.box_predictor(heads.box_head(pool_regions(heads.box_roi_pool, features, proposals, self.scales)))
        found = self.classified(image, logits, codes, proposals)
        boxes, labels = found["boxes"], found["labels"]
        if heads.has_mask():
            regions = pool_regions(heads.mask_roi_pool, features, boxes, self.scales)
            masks = heads.mask_predictor(heads.mask_head(regions)).sigmoid()
            found["masks"] = masks[torch.arange(labels.shape[0]), labels][:, None]
        if heads.has_keypoint():
            regions = pool_regions(heads.keypoint_roi_pool, features, boxes, self.scales)
            maps = heads.keypoint_predictor(heads.keypoint_head(regions))
            found["keypoints"], found["keypoints_scores"] = keypoints_of(maps, boxes, image)
        return found

    def proposals(self, image: Tensor, padded: Tensor, maps: list[Tensor]) -> Tensor:
        """Regions [n, 4] that may hold something: RegionProposalNetwork.filter_proposals."""
        rpn = self.model.rpn
        boxes, scores, levels = [], [], []
        for index, (logits, codes, anchors) in enumerate(zip(*rpn.head(maps), anchors_of(rpn.anchor_generator, padded, maps), strict=True)):
            score, at = best(logits[0].permute(1, 2, 0).flatten(), rpn.pre_nms_top_n())
            codes = codes[0].reshape(-1, 4, *codes.shape[-2:]).permute(2, 3, 0, 1).reshape(-1, 4)
            boxes.append(clip(rpn.box_coder.decode_single(codes[at], anchors[at]), image))
            scores.append(torch.sigmoid(score))
            levels.append(torch.full_like(at, index))
        box, score, level = torch.cat(boxes), torch.cat(scores), torch.cat(levels)
        chosen = larger_than(box, rpn.min_size) & (score >= rpn.score_thresh)
        return suppressed(box, score, level, chosen, rpn.nms_thresh, rpn.post_nms_top_n())["boxes"]

    def classified(self, image: Tensor, logits: Tensor, codes: Tensor, proposals: Tensor) -> Detections:
        """RoIHeads.postprocess_detections: every class of every region is a candidate, but for the background."""
        heads, classes = self.model.roi_heads, logits.shape[-1]
        boxes = heads.box_coder.decode_single(codes, proposals).unflatten(1, (classes, 4))
        boxes = clip(boxes, image)[:, 1:].reshape(-1, 4)
        scores = F.softmax(logits, -1)[:, 1:]
        labels = torch.arange(1, classes).expand_as(scores).reshape(-1)
        scores = scores.reshape(-1)
        chosen = (scores > heads.score_thresh) & larger_than(boxes, 1e-2)
        return suppressed(boxes, scores, labels, chosen, heads.nms_thresh, heads.detections_per_img)


class _Rows(nn.Module):
    """nn.Flatten for regions [n, c, h, w], which does not ask whether there are any."""

    def forward(self, regions: Tensor) -> Tensor:
        count, channels, height, width = regions.shape
        return regions.contiguous().view(count, channels * height * width)


def _prepare(heads: nn.Module) -> None:
    """Replaces the layers of heads which ask whether there are any regions by ones that compute the same."""
    for module in list(heads.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Flatten):
                setattr(module, name, _Rows())
            elif isinstance(child, nn.BatchNorm2d):
                frozen = FrozenBatchNorm2d(child.num_features, child.eps)
                frozen.load_state_dict(child.state_dict())
                setattr(module, name, frozen)


class TransformersDetector(Detector):
    """DETR, YOLOS, RT-DETR, D-FINE and their kin: a box for each query, as transformers' post_process_object_detection makes it.

    No query is left out: a threshold comes later.
    """

    def __init__(self, model: nn.Module, mean: Sequence[float] | None = None, std: Sequence[float] | None = None) -> None:
        super().__init__(model, mean, std)
        # Those that say "nothing" by a class of its own; the others give each class a probability for itself.
        self.has_nothing_class = model.config.model_type in ("detr", "yolos", "table-transformer")

    def forward(self, image: Tensor) -> Detections:
        output = self.model(pixel_values=self.normalized(image))
        height, width = image.shape[-2:]
        x, y, wide, high = output.pred_boxes[0].unbind(-1)
        sides = [(x - 0.5 * wide) * width, (y - 0.5 * high) * height, (x + 0.5 * wide) * width, (y + 0.5 * high) * height]
        boxes, logits = torch.stack(sides, dim=-1), output.logits[0]
        if not self.has_nothing_class:
            scores, at = logits.sigmoid().flatten().topk(logits.shape[0])
            classes = logits.shape[1]
            return {"boxes": boxes[at // classes], "scores": scores, "labels": at % classes}
        scores, labels = logits.softmax(-1)[:, :-1].max(-1)
        scores, order = scores.sort(descending=True, stable=True)
        return {"boxes": boxes[order], "scores": scores, "labels": labels[order]}


class YoloDetector(nn.Module):
    """Networks with heads like YOLOv8's and YOLO11's: [1, 4 + classes, cells], boxes as center and size in pixels.

    `network` takes the picture from 0 to 1. Each cell has the class of its largest score.
    """

    def __init__(self, network: nn.Module, confidence: float = 0.25, iou_threshold: float = 0.7, max_detections: int = 300) -> None:
        super().__init__()
        self.network = network
        self.confidence, self.iou_threshold, self.max_detections = confidence, iou_threshold, max_detections

    def forward(self, image: Tensor) -> Detections:
        found = self.network(image)
        found = found[0] if isinstance(found, tuple | list) else found
        center, size, classes = found[0].t().split([2, 2, found.shape[1] - 4], dim=1)
        scores, labels = classes.max(dim=1)
        boxes = clip(torch.cat([center - 0.5 * size, center + 0.5 * size], dim=1), image)
        return suppressed(boxes, scores, labels, scores > self.confidence, self.iou_threshold, self.max_detections)


# ---- What detectors are made of: anchors, boxes, suppression, regions, keypoints ------------------------------------------------


def _kept(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)


# torchvision's own rule for the shape says that at least two boxes are kept; its programs refuse other pictures.
torch.library.register_fake("torchvision::nms", _kept, allow_override=True)


def batched_nms(boxes: Tensor, scores: Tensor, classes: Tensor, iou_threshold: float) -> Tensor:
    """torchvision.ops.batched_nms, without branches: indices of the boxes that are kept, the surest first.

    Boxes [n, 4], not below 0, are moved apart by class, as torchvision itself does it for up to 1000 boxes. For more it goes
    class by class; the results are the same but for rounding, about 1e-7 of (class index · largest coordinate) in a coordinate.
    """
    largest = torch.cat([boxes.flatten(), boxes.new_zeros(1)]).max()
    moved = boxes + (classes.to(boxes) * (largest + 1))[:, None]
    return torch.ops.torchvision.nms(moved, scores, iou_threshold)


def suppressed(boxes: Tensor, scores: Tensor, labels: Tensor, chosen: Tensor, iou_threshold: float, most: int) -> Detections:
    """The `most` surest of the boxes that `chosen` (bool [n]) allows, without what overlaps something better of its class."""
    rows = torch.where(chosen)[0]
    boxes, scores, labels = boxes[rows], scores[rows], labels[rows]
    kept = batched_nms(boxes, scores, labels, iou_threshold)[:most]
    return {"boxes": boxes[kept], "scores": scores[kept], "labels": labels[kept]}


def anchors_of(generator: Any, padded: Tensor, maps: Sequence[Tensor]) -> list[Tensor]:
    """What torchvision's AnchorGenerator has for each level of features, [cells · anchors, 4]."""
    height, width = padded.shape[-2:]
    sizes = [level.shape[-2:] for level in maps]
    return generator.grid_anchors(sizes, [[height // rows, width // columns] for rows, columns in sizes])


def pool_regions(pooler: Any, features: dict[str, Tensor], boxes: Tensor, scales: dict[str, float]) -> Tensor:
    """What torchvision.ops.MultiScaleRoIAlign gives for one picture: [n, channels, height, width].

    Each region is pooled from its own level alone; the number of regions of a level depends on the boxes. `scales` tells what
    fraction of the picture's size each level has.
    """
    names = [name for name in features if name in pooler.featmap_names]
    regions = F.pad(boxes, (1, 0))
    high, wide = pooler.output_size

    def pooled(name: str, rois: Tensor) -> Tensor:
        return torch.ops.torchvision.roi_align(features[name], rois, scales[name], high, wide, pooler.sampling_ratio, False)

    if len(names) == 1:
        return pooled(names[0], regions)
    first, last = (-round(math.log2(scales[name])) for name in (names[0], names[-1]))
    side = ((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])).sqrt()
    wanted = torch.floor(pooler.canonical_level + torch.log2(side / pooler.canonical_scale) + 1e-6).clamp(first, last) - first
    result = boxes.new_zeros((boxes.shape[0], features[names[0]].shape[1], high, wide))
    for level, name in enumerate(names):
        chosen = torch.where(wanted == level)[0]
        result = result.index_copy(0, chosen, pooled(name, regions[chosen]))
    return result


def clip(boxes: Tensor, image: Tensor) -> Tensor:
    """Boxes [..., 4] within a picture [1, 3, H, W]."""
    height, width = image.shape[-2:]
    x, y = boxes[..., 0::2].clamp(min=0, max=width), boxes[..., 1::2].clamp(min=0, max=height)
    return torch.stack([x[..., 0], y[..., 0], x[..., 1], y[..., 1]], dim=-1)


def larger_than(boxes: Tensor, size: float) -> Tensor:
    """Whether width and height of each box are at least `size`: bool [n]."""
    return (boxes[:, 2] - boxes[:, 0] >= size) & (boxes[:, 3] - boxes[:, 1] >= size)


def best(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` largest scores of the last dimension, or all, descending."""
    return scores.topk(torch.sym_min(count, scores.shape[-1]), dim=-1)


def keypoints_of(maps: Tensor, boxes: Tensor, image: Tensor) -> tuple[Tensor, Tensor]:
    """torchvision's heatmaps_to_keypoints: the largest element of each map [n, k, m, m], resized to its box.

    Resizing is two matrix products with the weights of bicubic interpolation, for all boxes at once; rows and columns beyond
    the box's own size do not count. One keypoint at a time, because each takes n · H · W numbers.
    """
    sizes = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1)
    pixels = sizes.ceil()
    height, width = image.shape[-2:]
    across = _bicubic_weights(pixels[:, 0], width, maps.shape[-1])
    down = _bicubic_weights(pixels[:, 1], height, maps.shape[-2])
    beyond = (torch.arange(height)[:, None] >= pixels[:, 1, None, None]) | (torch.arange(width) >= pixels[:, 0, None, None])
    places, scores = [], []
    for one in maps.unbind(1):
        resized = (down @ (one @ across.transpose(1, 2))).masked_fill(beyond, -math.inf)
        score, at = resized.flatten(1).max(dim=1)
        cell = torch.stack([at % width, torch.div(at, width, rounding_mode="floor")], dim=1)
        places.append((cell.float() + 0.5) * (sizes / pixels) + boxes[:, :2])
        scores.append(score)
    return F.pad(torch.stack(places, dim=1), (0, 1), value=1.0), torch.stack(scores, dim=1)


def _bicubic_weights(lengths: Tensor, outputs: int, inputs: int) -> Tensor:
    """Row i of matrix b makes element i of `inputs` elements resized to lengths[b], by F.interpolate's cubics with a = -0.75."""
    place = (torch.arange(outputs) + 0.5) * (inputs / lengths)[:, None] - 0.5
    first = place.floor()
    part = place - first
    weights = 0
    for tap in range(-1, 3):
        away = (part - tap).abs()
        near = (1.25 * away - 2.25) * away * away + 1
        far = ((-0.75 * away + 3.75) * away - 6) * away + 3
        at = (first + tap).clamp(0, inputs - 1)
        weights = weights + torch.where(away <= 1, near, far)[..., None] * (at[..., None] == torch.arange(inputs))
    return weights


# ---- A program ------------------------------------------------------------------------------------------------------------------


def export_detector(detector: nn.Module, size: Size, dynamic: tuple[int, int] | None = None) -> ExportedProgram:
    """The program for pictures of one size, or, with `dynamic`, for sides from its first to its second number.

    Where the network takes fewer sizes, the program does; `sides_of` tells which. Raises ValueError where it takes only one.
    """

    def exported(sides: tuple[int, int] | None) -> ExportedProgram:
        side = None if sides is None else Dim.AUTO(min=sides[0], max=sides[1])
        shapes = None if sides is None else {"image": {2: side, 3: side}}
        with torch.no_grad():
            return torch.export.export(detector.eval(), (torch.rand(1, 3, *size),), dynamic_shapes=shapes, strict=False)

    program = exported(dynamic)
    if dynamic is None:
        return program
    sides = sides_of(program)
    if sides is None:
        raise ValueError(f"the network takes pictures of one size alone, or of few: leave dynamic sizes out, {size[0]} × {size[1]} can be exported")
    # What the program says of itself is to be what it takes.
    return program if sides == _sides_said(program) else exported(sides)


def sides_of(program: ExportedProgram) -> tuple[int, int] | None:
    """The shortest and the longest side that a program takes; None where it takes pictures of one size.

    The exporter's ranges leave out what its guards ask for besides, such as multiples of 32.
    """
    said = _sides_said(program)
    if said is None:
        return None
    height, width = program.example_inputs[0][0].shape[-2:]
    guards = getattr(program.module(), "_guards_fn", None)

    def taken(side: int) -> bool:
        return guards is None or all(_holds(guards, *sides) for sides in ((side, side), (side, width), (height, side)))

    low, high = min(height, width), max(height, width)
    if not all(map(taken, range(low, high + 1))):
        return None
    while low > said[0] and taken(low - 1):
        low -= 1
    while high < said[1] and taken(high + 1):
        high += 1
    return None if low == high else (low, high)


def _sides_said(program: ExportedProgram) -> tuple[int, int] | None:
    name = program.graph_signature.user_inputs[0]
    sides = next(node for node in program.graph.nodes if node.name == name).meta["val"].shape[-2:]
    if any(isinstance(side, int) for side in sides) or sides[0].node.expr == sides[1].node.expr:
        return None
    ranges = [program.range_constraints[side.node.expr] for side in sides]
    return max(int(each.lower) for each in ranges), min(int(each.upper) for each in ranges)


def _holds(guards: nn.Module, height: int, width: int) -> bool:
    try:
        guards(torch.empty(1, 3, 1, 1).expand(1, 3, height, width))
    except AssertionError:
        return False
    return True


# ---- Its files ------------------------------------------------------------------------------------------------------------------


def preset(image: dict[str, Any], labels: Sequence[str], keypoints: Sequence[str] = ()) -> dict[str, Any]:
    """What lies beside a program as JSON: how pictures become its input, and what the classes are called.

    `image` has `height` and `width`, or `shorterSide` and `longerSide`, and maybe `fit` and what else @pt2/vision knows.
    """
    found = {"version": 1, "task": "object-detection", "image": image, "labels": list(labels), "threshold": 0.5}
    return found | {"keypoints": list(keypoints)} if keypoints else found


def save_detector(program: ExportedProgram, path: pathlib.Path | str, beside: dict[str, Any]) -> None:
    """Writes X.pt2 and, beside it, the preset X.json."""
    ops = {node.target for node in program.graph.nodes if isinstance(node.target, OpOverload) and node.target.namespace == "torchvision"}
    packages = {op.name(): {"schema": str(op._schema), "package": "@pt2/ops-torchvision", "version": None} for op in ops}
    # Who loads it without these ops is told what to install.
    torch.export.save(program, path, extra_files={"custom_ops.json": json.dumps(packages, sort_keys=True)} if packages else None)
    pathlib.Path(path).with_suffix(".json").write_text(json.dumps(beside, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# ---- Compared with the original code --------------------------------------------------------------------------------------------
#
# Two comparisons, so that rounding decides nothing: what was rewritten with the original, both in float64, where two scores are
# hardly ever too close to tell; and the program with what was rewritten, which are the same calls in float32.

EQUAL = 1e-12
"""Scores that differ by less are equal, up to the rounding of float64."""


class Undecided(Exception):
    """Scores are equal, so it is not decided which of several boxes suppresses the others."""


def eager_result(model: nn.Module, image: Tensor) -> Detections:
    """What torchvision's own code finds in a picture [1, 3, H, W], which it is told not to resize."""
    model, size = copy.deepcopy(model).eval(), tuple(image.shape[-2:])
    transform = model.transform
    if transform.fixed_size is not None:
        transform.fixed_size = size[::-1]
    transform.min_size, transform.max_size = (min(size),), max(size)
    with torch.no_grad():
        return model([image[0]])[0]


def check_torchvision(model: nn.Module, detector: Detector, program: nn.Module, images: Sequence[Tensor]) -> list[int]:
    """Compares a program of `detector` with torchvision's own code; returns how many boxes of each picture were compared.

    The threshold of the scores is lowered for the first comparison to the better half of all boxes: in a picture of noise a
    trained detector finds nothing. Raises AssertionError at a difference, Undecided where scores are equal.
    """
    model, exact = copy.deepcopy(model).double(), copy.deepcopy(detector).double()
    transform = model.transform
    # torchvision normalizes with these numbers in the dtype of the picture.
    exact.mean, exact.std = (torch.tensor(values, dtype=torch.float64).reshape(3, 1, 1) for values in (transform.image_mean, transform.image_std))
    counts = []
    for image in images:
        _owner(model).score_thresh = 0.0
        expected = eager_result(model, image.double())
        least = _middle(expected["scores"])
        expected = {name: value[expected["scores"] > least] for name, value in expected.items()}
        _owner(exact.model).score_thresh = least
        with torch.no_grad():
            found = exact(image.double())
        if "masks" in found:
            found["masks"] = detection.roi_heads.paste_masks_in_image(found["masks"], found["boxes"], tuple(image.shape[-2:]))
        _compare(found, expected)
        _compare_program(program, detector, image)
        counts.append(len(expected["scores"]))
    return counts


def check_transformers(detector: TransformersDetector, processor: Any, program: nn.Module, images: Sequence[Tensor]) -> list[int]:
    """Compares a program of `detector` with what the image processor of transformers makes of the model's results."""
    exact, counts = copy.deepcopy(detector).double(), []
    finish = processor.post_process_object_detection
    every = {"top_k": 10**6} if "top_k" in inspect.signature(finish).parameters else {}
    for image in images:
        with torch.no_grad():
            found, output = exact(image.double()), exact.model(pixel_values=exact.normalized(image.double()))
        expected = finish(output, threshold=-1.0, target_sizes=[tuple(image.shape[-2:])], **every)[0]
        order = expected["scores"].sort(descending=True, stable=True).indices[: len(found["scores"])]
        _compare(found, {name: value[order] for name, value in expected.items()})
        _compare_program(program, detector, image)
        counts.append(len(order))
    return counts


def _owner(model: nn.Module) -> Any:
    """What has the thresholds of a model."""
    return getattr(model, "roi_heads", model)


def _middle(scores: Tensor) -> float:
    """A threshold between two scores, of those in descending order, that the better half or little more exceeds; 0 without any."""
    for after in range(len(scores) // 2, len(scores)):
        if after > 0 and scores[after - 1] - scores[after] > EQUAL:
            return scores[after - 1 : after + 1].mean().item()
    return 0.0


def _compare_program(program: nn.Module, detector: nn.Module, image: Tensor) -> None:
    with torch.no_grad():
        _compare(dict(program(image)), detector(image))


def _compare(found: Detections, expected: Detections) -> None:
    """Raises AssertionError at a difference; boxes of equal scores may be in another order."""
    try:
        for name, value in _ordered(expected).items():
            tolerance = {"rtol": 1e-4, "atol": 1e-3 if name in ("boxes", "keypoints") else 1e-4}
            # torchvision gives keypoints as float32, whatever the model computes with.
            torch.testing.assert_close(_ordered(found)[name], value, **tolerance, check_dtype=False, msg=lambda text, name=name: f"{name}: {text}")
    except AssertionError as error:
        # Which of them is suppressed may be another one too.
        if (-expected["scores"].diff() <= EQUAL).any():
            raise Undecided from error
        raise


def _ordered(found: Detections) -> Detections:
    """Boxes of equal scores by class and place."""
    scores, places = found["scores"], found["boxes"].round(decimals=2).tolist()
    ties = F.pad((-scores.diff() > EQUAL).cumsum(0), (1, 0)) if len(scores) > 0 else scores
    keys = list(zip(ties.tolist(), found["labels"].tolist(), places, strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return {name: value[order] for name, value in found.items()}


# ---- The command line -----------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a detection model of torchvision, or a folder that transformers saved")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the program, X.pt2; its preset lies beside it as X.json")
    parser.add_argument("--weights", help="DEFAULT, which is the default, or another name of torchvision's, none, or a file with a state dict")
    parser.add_argument("--size", type=int, nargs=2, metavar=("H", "W"), help="of the picture that the program takes")
    parser.add_argument("--labels", type=pathlib.Path, help="a file with a name of a class in each line")
    parser.add_argument("--dynamic", action="store_true", help="pictures of any size between a quarter and twice the usual")
    parser.add_argument("--check", action="store_true", help="compare with torchvision's or transformers' own code on pictures of noise")
    try:
        _export(parser.parse_args(arguments))
    except Refused as refused:
        print(f"{parser.prog}: {refused}", file=sys.stderr)
        return 1
    return 0


def _export(options: argparse.Namespace) -> None:
    output = _output(options)
    given = None if options.labels is None else _names(options.labels)
    loaded = _load(options)
    labels = loaded.labels if given is None else given
    if given is not None and len(given) != loaded.classes:
        raise Refused(f"{options.labels} has {len(given)} names, but the model {loaded.classes} classes; the background is one where it has one")
    program = _program(options, loaded)
    sides = sides_of(program)
    image: dict[str, Any] = {"height": loaded.size[0], "width": loaded.size[1]} | loaded.image
    if sides is not None:
        image = {"shorterSide": min(loaded.size), "longerSide": min(loaded.longest, sides[1])}
        image |= {key: value for key, value in loaded.image.items() if key not in ("fit", "fill")}
    save_detector(program, output, preset(image, labels, loaded.keypoints))
    takes = f"{loaded.size[0]} × {loaded.size[1]}" if sides is None else f"sides from {sides[0]} to {sides[1]}"
    print(f"{output}: {output.stat().st_size / 1e6:.1f} MB, pictures of {takes}; {output.with_suffix('.json').name} lies beside it")
    if not labels:
        print(f"nothing names its {loaded.classes} classes: --labels FILE does")
    if options.check:
        _check(program, loaded)


def _output(options: argparse.Namespace) -> pathlib.Path:
    output = options.output or pathlib.Path(f"{pathlib.Path(options.model).resolve().name}.pt2")
    if output.suffix != ".pt2":
        raise Refused(f"{output} does not end in .pt2")
    if not output.parent.is_dir():
        raise Refused(f"{output.parent}, where {output.name} is to be written, is no folder")
    return output


def _names(file: pathlib.Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"the names of the classes cannot be read: {error}") from error


def _load(options: argparse.Namespace) -> Loaded:
    size = None if options.size is None else tuple(options.size)
    if size is not None and min(size) < 1:
        raise Refused(f"a picture of {size[0]} × {size[1]} has no pixels")
    folder = pathlib.Path(options.model)
    if not folder.is_dir():
        return load_torchvision(options.model, options.weights or "DEFAULT", size)
    if options.weights is not None:
        raise Refused(f"{folder} has weights of its own; --weights is for models of torchvision")
    return load_transformers(folder, size)


def _program(options: argparse.Namespace, loaded: Loaded) -> ExportedProgram:
    height, width = loaded.size
    usual = (min(loaded.size), max(loaded.size))
    dynamic = (max(64, usual[0] // 4), max(2 * usual[1], loaded.longest)) if options.dynamic else None
    try:
        return export_detector(loaded.detector, loaded.size, dynamic)
    except Exception as error:  # Networks and the exporter refuse sizes in many ways.
        sizes = "any size" if options.dynamic else f"{height} × {width}"
        raise Refused(f"{options.model} cannot be exported for pictures of {sizes}: {first_line(error)}") from error


def _check(program: ExportedProgram, loaded: Loaded) -> None:
    (height, width), sides = loaded.size, sides_of(program)
    # Another size than that of the export, where the program takes any.
    other = (height, width) if sides is None else tuple(min(max(side, sides[0]), sides[1]) for side in (height * 4 // 5, width * 6 // 5))
    soft = F.interpolate(torch.rand(1, 3, 9, 11), (height, width), mode="bicubic").clamp(0, 1)
    try:
        counts = loaded.check(program.module(), [soft, torch.rand(1, 3, *other)])
    except Undecided:
        raise Refused(
            "--check cannot tell: boxes have equal scores, so any of them may suppress the others; trained weights do not do that"
        ) from None
    except AssertionError as error:
        raise Refused(f"--check found a difference: {' '.join(str(error).split())}") from error
    print(f"as the original code: {' and '.join(map(str, counts))} boxes in 2 pictures of noise")


if __name__ == "__main__":
    sys.exit(main())
