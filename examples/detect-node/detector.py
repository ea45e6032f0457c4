"""A one-stage detector of 0.8 million weights: an image to boxes, scores and labels, suppression of overlaps included.

Anchor-free, after FCOS (Tian et al. 2019): each cell of two grids, of 8 and 16 pixels, says what is at its center and how
far the sides of its box are away. A score estimates the overlap of the box as well, by the quality focal loss (Li et al.
2020), so good boxes come first when overlaps are suppressed.
"""

import torch
import torch.nn.functional as F
from torch import nn

STRIDES = (8, 16)
WIDTH = 64
CANDIDATES, MOST_OVERLAP = 100, 0.5


def _conv(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.second(self.first(x)))


class Grids(nn.Module):
    """[batch, 3, side, side] from 0 to 1 to class logits [batch, cells, classes] and boxes [batch, cells, 4] in pixels."""

    def __init__(self, side: int, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.to_8 = nn.Sequential(_conv(3, 16, 2), _conv(16, 32, 2), _conv(32, 64, 2), _Residual(64), _Residual(64))
        self.to_16 = nn.Sequential(_conv(64, 96, 2), _Residual(96))
        self.to_32 = nn.Sequential(_conv(96, 96, 2), _Residual(96))
        self.lateral = nn.ModuleList([nn.Conv2d(channels, WIDTH, 1) for channels in (64, 96, 96)])
        self.towers = nn.ModuleList([_conv(WIDTH, WIDTH) for _ in STRIDES])
        self.head = nn.Sequential(_conv(WIDTH, WIDTH), nn.Conv2d(WIDTH, classes + 4, 3, 1, 1))
        last = self.head[1]
        nn.init.normal_(last.weight, std=0.01)
        nn.init.constant_(last.bias, 0)
        nn.init.constant_(last.bias[:classes], -4.6)  # The probability of a class is 1 % at first.
        centers, sizes = zip(*(self._cells(side, stride) for stride in STRIDES), strict=True)
        self.register_buffer("centers", torch.cat(centers), persistent=False)
        self.register_buffer("sizes", torch.cat(sizes), persistent=False)

    @staticmethod
    def _cells(side: int, stride: int) -> tuple[torch.Tensor, torch.Tensor]:
        along = (torch.arange(side // stride) + 0.5) * stride
        y, x = torch.meshgrid(along, along, indexing="ij")
        return torch.stack([x.flatten(), y.flatten()], 1), torch.full((len(along) ** 2, 1), float(stride))

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        at_8 = self.to_8((image - 0.5) * 4)
        at_16 = self.to_16(at_8)
        top = self.lateral[2](self.to_32(at_16))
        middle = self.lateral[1](at_16) + F.interpolate(top, scale_factor=2.0, mode="nearest")
        fine = self.lateral[0](at_8) + F.interpolate(middle, scale_factor=2.0, mode="nearest")
        heads = [self.head(tower(level)).flatten(2) for tower, level in zip(self.towers, (fine, middle), strict=True)]
        logits, sides = torch.cat(heads, 2).transpose(1, 2).float().split([self.classes, 4], 2)
        away = torch.exp(sides.clamp(-4, 4)) * self.sizes * 2
        return logits, torch.cat([self.centers - away[..., :2], self.centers + away[..., 2:]], 2)


class Detector(nn.Module):
    """What is exported: `image` [1, 3, side, side] to what is found, the best first. No branch depends on the data."""

    def __init__(self, grids: Grids, side: int) -> None:
        super().__init__()
        self.grids, self.side = grids, side

    def forward(self, image: torch.Tensor) -> dict[str, torch.Tensor]:
        logits, boxes = self.grids(image)
        scores, chosen = logits[0].sigmoid().flatten().topk(CANDIDATES)
        labels = chosen % self.grids.classes
        boxes = boxes[0][chosen // self.grids.classes].clamp(0, self.side)
        # Boxes of different classes never suppress each other: each class has a region of its own.
        apart = boxes + (labels * (self.side + 1)).to(boxes.dtype).unsqueeze(1)
        kept = torch.ops.torchvision.nms(apart, scores, MOST_OVERLAP)
        return {"boxes": boxes[kept], "scores": scores[kept], "labels": labels[kept]}


def overlaps(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Intersection over union of boxes [..., n, 4] and [..., m, 4]: [..., n, m]."""
    shared = torch.minimum(a[..., :, None, 2:], b[..., None, :, 2:]) - torch.maximum(a[..., :, None, :2], b[..., None, :, :2])
    shared = shared.clamp(min=0).prod(-1)
    areas = [(boxes[..., 2:] - boxes[..., :2]).clamp(min=0).prod(-1) for boxes in (a, b)]
    return shared / (areas[0][..., :, None] + areas[1][..., None, :] - shared).clamp(min=1e-6)


def assigned(grids: Grids, truth: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Which of the boxes [batch, most, 4] each cell is to say, and whether any: cells near its center, of one grid."""
    middle, extent = (truth[..., :2] + truth[..., 2:]) / 2, truth[..., 2:] - truth[..., :2]
    away = (grids.centers[:, None] - middle[:, None]).abs()
    longest = extent.amax(-1)
    stride = torch.where(longest <= 40, 8.0, 16.0)
    near = (away <= torch.minimum(1.5 * stride[..., None], extent / 2)[:, None]).all(-1)
    fits = near & (grids.sizes == stride[:, None]) & (longest > 0)[:, None]
    distance = torch.where(fits, away.sum(-1), torch.inf)
    return distance.argmin(-1), fits.any(-1)


def loss_of(grids: Grids, image: torch.Tensor, truth: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Quality focal loss of the classes, and generalized overlap (Rezatofighi et al. 2019) of the boxes."""
    logits, boxes = grids(image)
    which, positive = assigned(grids, truth)
    target = truth.gather(1, which[..., None].expand(-1, -1, 4))[positive]
    found = boxes[positive]
    overlap = overlaps(found[:, None], target[:, None])[:, 0, 0]
    hull = (torch.maximum(found[:, 2:], target[:, 2:]) - torch.minimum(found[:, :2], target[:, :2])).prod(-1)
    areas = [(each[:, 2:] - each[:, :2]).prod(-1) for each in (found, target)]
    union = (areas[0] + areas[1]) / (1 + overlap)
    generalized = overlap - (hull - union) / hull
    quality = torch.zeros_like(logits)
    quality[positive, labels.gather(1, which)[positive]] = overlap.detach()
    focus = (logits.sigmoid() - quality).square()
    of_classes = (focus * F.binary_cross_entropy_with_logits(logits, quality, reduction="none")).sum()
    count = max(1, int(positive.sum()))
    return (of_classes + 2 * (1 - generalized).sum()) / count
