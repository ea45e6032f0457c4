"""Detectors that `torch.export` can export: the networks of torchvision, transformers and others, and what follows them.

Every one takes `image`, float32 [1, 3, H, W], RGB from 0 to 1, and returns a dict; export_detection.py describes it. What
follows the networks of torchvision is written anew here, without branches and loops that depend on data, and gives what
torchvision's own code gives.
"""

import copy
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torchvision.models import detection
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import FrozenBatchNorm2d

Detections = dict[str, Tensor]


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


def pool_regions(pooler: Any, features: dict[str, Tensor], boxes: Tensor, scales: Sequence[float]) -> Tensor:
    """What torchvision.ops.MultiScaleRoIAlign gives for one picture: [n, channels, height, width].

    Each region is pooled from its own level alone; the number of regions of a level depends on the boxes.
    """
    levels = [features[name] for name in _pooled_levels(pooler, features)]
    regions = F.pad(boxes, (1, 0))
    high, wide = pooler.output_size

    def pooled(level: int, rois: Tensor) -> Tensor:
        return torch.ops.torchvision.roi_align(levels[level], rois, scales[level], high, wide, pooler.sampling_ratio, False)

    if len(levels) == 1:
        return pooled(0, regions)
    first, last = (-round(math.log2(scale)) for scale in (scales[0], scales[-1]))
    side = ((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])).sqrt()
    wanted = torch.floor(pooler.canonical_level + torch.log2(side / pooler.canonical_scale) + 1e-6).clamp(first, last) - first
    result = boxes.new_zeros((boxes.shape[0], levels[0].shape[1], high, wide))
    for level in range(len(levels)):
        chosen = torch.where(wanted == level)[0]
        result = result.index_copy(0, chosen, pooled(level, regions[chosen]))
    return result


def _pooled_levels(pooler: Any, features: dict[str, Tensor]) -> list[str]:
    return [name for name in features if name in pooler.featmap_names]


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


class Detector(nn.Module):
    """What torchvision's detectors have in common: a picture is normalized, padded, and given to the backbone."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        transform = model.transform
        self.register_buffer("mean", torch.tensor(transform.image_mean).reshape(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(transform.image_std).reshape(3, 1, 1), persistent=False)

    def features(self, image: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """The padded picture, and the feature maps by name."""
        height, width = image.shape[-2:]
        multiple = self.model.transform.size_divisible
        padded = F.pad((image - self.mean) / self.std, (0, -width % multiple, 0, -height % multiple))
        features = self.model.backbone(padded)
        return padded, {"0": features} if isinstance(features, Tensor) else features

    def anchors(self, padded: Tensor, features: Sequence[Tensor]) -> list[Tensor]:
        """The anchors of each level, [cells · anchors, 4]."""
        generator, (height, width) = self.model.anchor_generator, padded.shape[-2:]
        sizes = [level.shape[-2:] for level in features]
        return generator.grid_anchors(sizes, [[height // rows, width // columns] for rows, columns in sizes])

    def suppressed(self, boxes: Tensor, scores: Tensor, labels: Tensor) -> Detections:
        """What is above the threshold, without what overlaps something better of its class."""
        chosen = torch.where(scores > self.model.score_thresh)[0]
        boxes, scores, labels = boxes[chosen], scores[chosen], labels[chosen]
        kept = batched_nms(boxes, scores, labels, self.model.nms_thresh)[: self.model.detections_per_img]
        return {"boxes": boxes[kept], "scores": scores[kept], "labels": labels[kept]}


class SsdDetector(Detector):
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


class DenseDetector(Detector):
    """RetinaNet and FCOS: the best candidates of each level of the pyramid, then suppression."""

    def forward(self, image: Tensor) -> Detections:
        padded, features = self.features(image)
        maps = list(features.values())
        found = self.model.head(maps)
        boxes, scores, labels, start = [], [], [], 0
        for anchors in self.anchors(padded, maps):
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


class RcnnDetector(Detector):
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
        logits, codes = heads.box_predictor(heads.box_head(self.pooled(heads.box_roi_pool, features, proposals)))
        found = self.classified(image, logits, codes, proposals)
        boxes, labels = found["boxes"], found["labels"]
        if heads.has_mask():
            masks = heads.mask_predictor(heads.mask_head(self.pooled(heads.mask_roi_pool, features, boxes))).sigmoid()
            found["masks"] = masks[torch.arange(labels.shape[0]), labels][:, None]
        if heads.has_keypoint():
            maps = heads.keypoint_predictor(heads.keypoint_head(self.pooled(heads.keypoint_roi_pool, features, boxes)))
            found["keypoints"], found["keypoints_scores"] = keypoints_of(maps, boxes, image)
        return found

    def pooled(self, pooler: Any, features: dict[str, Tensor], boxes: Tensor) -> Tensor:
        return pool_regions(pooler, features, boxes, [self.scales[name] for name in _pooled_levels(pooler, features)])

    def proposals(self, image: Tensor, padded: Tensor, maps: list[Tensor]) -> Tensor:
        """Regions [n, 4] that may hold something: RegionProposalNetwork.filter_proposals."""
        rpn, sizes = self.model.rpn, [level.shape[-2:] for level in maps]
        high, wide = padded.shape[-2:]
        anchors = rpn.anchor_generator.grid_anchors(sizes, [[high // rows, wide // columns] for rows, columns in sizes])
        boxes, scores, levels = [], [], []
        for index, (logits, codes, cells) in enumerate(zip(*rpn.head(maps), anchors, strict=True)):
            score, at = best(logits[0].permute(1, 2, 0).flatten(), rpn.pre_nms_top_n())
            codes = codes[0].reshape(-1, 4, *codes.shape[-2:]).permute(2, 3, 0, 1).reshape(-1, 4)
            boxes.append(clip(rpn.box_coder.decode_single(codes[at], cells[at]), image))
            scores.append(torch.sigmoid(score))
            levels.append(torch.full_like(at, index))
        box, score, level = torch.cat(boxes), torch.cat(scores), torch.cat(levels)
        chosen = torch.where(larger_than(box, rpn.min_size) & (score >= rpn.score_thresh))[0]
        box = box[chosen]
        return box[batched_nms(box, score[chosen], level[chosen], rpn.nms_thresh)[: rpn.post_nms_top_n()]]

    def classified(self, image: Tensor, logits: Tensor, codes: Tensor, proposals: Tensor) -> Detections:
        """RoIHeads.postprocess_detections: every class of every region is a candidate, but for the background."""
        heads, classes = self.model.roi_heads, logits.shape[-1]
        boxes = heads.box_coder.decode_single(codes, proposals).unflatten(1, (classes, 4))
        boxes = clip(boxes, image)[:, 1:].reshape(-1, 4)
        scores = F.softmax(logits, -1)[:, 1:]
        labels = torch.arange(1, classes).expand_as(scores).reshape(-1)
        scores = scores.reshape(-1)
        chosen = torch.where((scores > heads.score_thresh) & larger_than(boxes, 1e-2))[0]
        boxes, scores, labels = boxes[chosen], scores[chosen], labels[chosen]
        kept = batched_nms(boxes, scores, labels, heads.nms_thresh)[: heads.detections_per_img]
        return {"boxes": boxes[kept], "scores": scores[kept], "labels": labels[kept]}


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


class TransformersDetector(nn.Module):
    """DETR, YOLOS, RT-DETR, D-FINE and their kin: a box for each query, as transformers' post_process_object_detection makes it.

    No query is left out: a threshold comes later. `mean` and `std` normalize the picture, where the model wants that.
    """

    def __init__(self, model: nn.Module, mean: Sequence[float] | None = None, std: Sequence[float] | None = None) -> None:
        super().__init__()
        self.model = model
        # Those that say "nothing" by a class of its own; the others give each class a probability for itself.
        self.has_nothing_class = model.config.model_type in ("detr", "yolos", "table-transformer")
        self.register_buffer("mean", torch.tensor(mean or [0.0] * 3).reshape(3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std or [1.0] * 3).reshape(3, 1, 1), persistent=False)

    def forward(self, image: Tensor) -> Detections:
        output = self.model(pixel_values=(image - self.mean) / self.std)
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
        chosen = torch.where(scores > self.confidence)[0]
        boxes = torch.cat([center - 0.5 * size, center + 0.5 * size], dim=1)[chosen]
        boxes, scores, labels = clip(boxes, image), scores[chosen], labels[chosen]
        kept = batched_nms(boxes, scores, labels, self.iou_threshold)[: self.max_detections]
        return {"boxes": boxes[kept], "scores": scores[kept], "labels": labels[kept]}


def torchvision_detector(model: nn.Module, size: tuple[int, int]) -> Detector:
    """The detector of a model of torchvision.models.detection, which is copied. `size` is the height and width of a picture."""
    model = copy.deepcopy(model).eval()
    if isinstance(model, detection.ssd.SSD):
        return SsdDetector(model)
    if isinstance(model, detection.RetinaNet | detection.FCOS):
        return DenseDetector(model)
    if isinstance(model, detection.FasterRCNN):
        return RcnnDetector(model, torch.zeros(1, 3, *size))
    raise TypeError(f"{type(model).__name__} is no SSD, RetinaNet, FCOS or R-CNN of torchvision")
