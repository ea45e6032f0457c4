"""Writes what torchvision's own CPU kernels compute, for the tests of `@pt2/ops-torchvision`: `python torchvision_goldens.py`.

Needs an environment whose torchvision has its native library, which links with one build of torch:
`pip install torchvision safetensors`. Its CUDA build runs on machines without a GPU.
"""

import itertools
import json
import pathlib

import torch
import torchvision
from safetensors.torch import save_file

FIXTURES = pathlib.Path(__file__).parents[2] / "tests/fixtures/torchvision"
OUT = pathlib.Path(__file__).parents[2] / "packages/ops-torchvision/src"
ops = torch.ops.torchvision


def regions(batch: int, height: float, width: float, generator: torch.Generator) -> torch.Tensor:
    """Regions inside, across borders, outside, without size, with swapped corners, and larger than everything."""
    corner = torch.rand(9, 2, generator=generator) * torch.tensor([width, height])
    size = torch.rand(9, 2, generator=generator) * torch.tensor([width, height])
    special = torch.tensor(
        [
            [0, 0, width - 1, height - 1],
            [-3 * width, -2 * height, 4 * width, 3 * height],
            [2, 3, 2, 3],
            [width * 0.7, height * 0.6, width * 0.2, height * 0.1],
            [2 * width, 2 * height, 3 * width, 3 * height],
            [0.5, 0.5, 0.75, 0.8],
            [-1, -1, 1, 1],
        ]
    )
    boxes = torch.cat([torch.cat([corner, corner + size], dim=1), special])
    index = torch.randint(batch, (len(boxes), 1), generator=generator)
    return torch.cat([index, boxes], dim=1)


def odd_regions() -> torch.Tensor:
    """Fractions of pictures, which C cuts to integers, and edges that are NaN or infinite.

    torchvision's kernels read where a place that is NaN becomes the smallest integer: along a column of an even width they
    come back to the map, along a row they would not. With `sampling_ratio` from 0 down such a region has no samples.
    """
    edges = [[1.0, 2.0, 6.0, 5.0] for _ in range(9)]
    for i, edge in enumerate((float("nan"), float("inf"), -float("inf"))):
        edges[2 * i][1] = edge
        edges[2 * i + 1][3] = edge
    pictures = [0, 1, 0, 1, 0, 1, 0.7, 1.9, -0.99]
    return torch.cat([torch.tensor(pictures)[:, None], torch.tensor(edges)], dim=1)


def odd_columns() -> torch.Tensor:
    """The same along rows, for kernels that read nothing there."""
    edges = [[1.0, 2.0, 6.0, 5.0] for _ in range(6)]
    for i, edge in enumerate((float("nan"), float("inf"), -float("inf"))):
        edges[2 * i][0] = edge
        edges[2 * i + 1][2] = edge
    return torch.cat([torch.tensor([0, 1, 0, 1, 0, 1.0])[:, None], torch.tensor(edges)], dim=1)


def missing(*boxes: list[float]) -> torch.Tensor:
    """Regions of pictures that are not there, of which kernels read nothing."""
    pictures = (2.0, -1.0, 1e6, float("nan"))
    return torch.tensor([[picture, *box] for picture in pictures for box in boxes])


class Goldens:
    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self.calls: list[dict] = []

    def add(self, op: str, args: dict, gradient: bool = True) -> None:
        """Runs an op, and its backward op for a random gradient of the first result."""
        at = str(len(self.calls))
        leaves = {name: value for name, value in args.items() if isinstance(value, torch.Tensor)}
        for name, value in leaves.items():
            self.tensors[f"{at}.{name}"] = value.detach().contiguous().clone()
        leaves_with_gradient = [name for name in leaves if name != "rois"] if gradient else []
        for name in leaves_with_gradient:
            args[name].requires_grad_()
        results = getattr(ops, op)(*args.values())
        results = results if isinstance(results, tuple) else (results,)
        for i, result in enumerate(results):
            self.tensors[f"{at}.result.{i}"] = result.detach().contiguous().clone()
        if gradient:
            grad = torch.linspace(-1, 1, results[0].numel()).reshape(results[0].shape).to(results[0].dtype)
            results[0].backward(grad)
            self.tensors[f"{at}.grad"] = grad.contiguous()
            for name in leaves_with_gradient:
                if args[name].grad is not None:
                    self.tensors[f"{at}.grad.{name}"] = args[name].grad.contiguous()
        numbers = {name: value for name, value in args.items() if name not in leaves}
        self.calls.append({"op": f"torchvision::{op}", "tensors": list(leaves), "numbers": numbers, "gradient": gradient})

    def save(self, name: str) -> None:
        path = OUT / f"{name}.golden.safetensors"
        save_file(self.tensors, path, metadata={"calls": json.dumps(self.calls)})
        print(f"{path.name}: {len(self.calls)} calls, {path.stat().st_size / 1e3:.0f} kB")


def nms() -> None:
    goldens = Goldens()
    generator = torch.Generator().manual_seed(6)
    for count, threshold, dtype in itertools.product((0, 1, 2, 31, 97, 503), (-0.5, 0.0, 0.3, 0.5, 1.0), (torch.float32, torch.float64)):
        corner = 40 * torch.rand(count, 2, generator=generator)
        size = 20 * torch.rand(count, 2, generator=generator)
        dets = torch.cat([corner, corner + size], dim=1)
        # Equal scores, equal boxes, corners that coincide, boxes without size and with swapped corners, overlaps of one half.
        dets[::3] = dets[::3].round()
        dets[1::7] = dets[:1].clone()
        dets[2::11, 2:] = dets[2::11, :2]
        dets[4::13] = dets[4::13].flip(1)
        dets[5::17] = torch.tensor([0.0, 0.0, 2.0, 1.0])
        dets[6::17] = torch.tensor([0.0, 0.0, 1.0, 1.0])
        scores = torch.rand(count, generator=generator)
        scores[::2] = scores[::2].round(decimals=1)
        goldens.add("nms", {"dets": dets.to(dtype), "scores": scores.to(dtype), "iou_threshold": threshold}, False)
    special = torch.tensor([0.0, float("inf"), -float("inf"), float("nan"), 1.0, 3.0])
    dets = special[torch.randint(6, (89, 4), generator=generator)]
    scores = torch.cat([special, torch.rand(83, generator=generator)])
    for threshold in (0.0, 0.5):
        goldens.add("nms", {"dets": dets, "scores": scores, "iou_threshold": threshold}, False)
        strided = dets.t().contiguous().t()
        goldens.add("nms", {"dets": strided, "scores": scores.repeat(2)[::2], "iou_threshold": threshold}, False)
    goldens.save("nms")


def roi_align() -> None:
    goldens = Goldens()
    generator = torch.Generator().manual_seed(1)
    for ratio, aligned, (down, across) in itertools.product((-1, 1, 2, 3), (False, True), ((1, 1), (2, 3), (7, 5))):
        dtype = torch.float64 if (ratio, down) == (2, 2) else torch.float32
        scale = (1.0, 0.5, 0.25)[(ratio + down) % 3]
        features = torch.randn(2, 3, 11, 7, generator=generator).to(dtype)
        rois = regions(2, 11 / scale, 7 / scale, generator).to(dtype)
        goldens.add("roi_align", call(features, rois, scale, (down, across), ratio, aligned))
    for ratio in (-1, 2):
        one = torch.randn(1, 2, 13, 5, generator=generator)
        goldens.add("roi_align", call(one, torch.zeros(0, 5), 1.0, (3, 2), ratio, True))
        strided = torch.randn(13, 5, 3, 2, generator=generator).permute(2, 3, 0, 1)
        rois = regions(3, 13, 5, generator)
        goldens.add("roi_align", call(strided.clone().permute(0, 1, 2, 3), rois, 1.0, (3, 2), ratio, True))
        half = torch.randn(2, 2, 13, 5, generator=generator).half()
        goldens.add("roi_align", call(half, regions(2, 13, 5, generator)[:9].half(), 1.0, (3, 2), ratio, True), False)
    for ratio, aligned in itertools.product((-1, 2), (False, True)):
        rois = odd_regions() if ratio > 0 else torch.cat([odd_regions(), odd_columns()])
        features = torch.randn(2, 2, 9, 8, generator=generator)
        goldens.add("roi_align", call(features, rois, 1.0, (2, 2), ratio, aligned))
    goldens.add("roi_align", call(features.detach().clone(), odd_regions(), 1.0, (0, 2), 2, True), False)
    # Infinities and NaN reach the regions that sample them, also with a weight of zero.
    special = torch.randn(1, 2, 9, 8, generator=generator)
    special[0, 0, 8, 3], special[0, 0, 2, 7], special[0, 1, 4, 4] = float("inf"), float("nan"), -float("inf")
    for ratio in (-1, 2):
        goldens.add("roi_align", call(special, regions(1, 9, 8, generator), 1.0, (3, 2), ratio, True), False)
    goldens.save("roi-align")


def roi_pool() -> None:
    goldens = Goldens()
    generator = torch.Generator().manual_seed(4)
    for (down, across), scale in itertools.product(((1, 1), (2, 3), (7, 5)), (1.0, 0.5)):
        features = torch.randn(2, 3, 11, 7, generator=generator)
        # Equal elements: the first counts.
        features = features.clamp(min=0).round(decimals=1)
        args = call(features, regions(2, 11 / scale, 7 / scale, generator), scale, (down, across), 0, False)
        del args["aligned"], args["sampling_ratio"]
        goldens.add("roi_pool", args)
    special = torch.randn(1, 2, 5, 7, generator=generator)
    special[0, 0, 2, 3], special[0, 0, 0, :3], special[0, 1] = float("nan"), float("inf"), -float("inf")
    args = call(special, regions(1, 5, 7, generator), 1.0, (2, 2), 0, False)
    del args["aligned"], args["sampling_ratio"]
    goldens.add("roi_pool", args)
    features = torch.randn(2, 2, 9, 8, generator=generator)
    near_half = torch.tensor([[0, 0.49999997, 0, 0.5, 2.5], [1, -0.49999997, -0.5, 3, 1.4999999], [0, 1, 1, 8388609, 5]])
    far = torch.tensor([[0, 2, 2, 1e9, 1e9], [1, -1e9, -1e9, 5, 300]])
    starts = [roi for roi in odd_regions() if roi[2:].isfinite().all()]
    for rois in (near_half, far, torch.stack(starts), missing([100, 3, 120, 3.5], [-9, -8, -7, -6])):
        args = call(features.detach().clone(), rois, 1.0, (2, 2), 0, False)
        del args["aligned"], args["sampling_ratio"]
        goldens.add("roi_pool", args)
    for sizes, bins in (((1, 2, 0, 3), (2, 2)), ((1, 2, 3, 0), (2, 2)), ((1, 2, 3, 3), (0, 2))):
        args = call(torch.ones(sizes), regions(1, 3, 3, generator), 1.0, bins, 0, False)
        del args["aligned"], args["sampling_ratio"]
        goldens.add("roi_pool", args, False)
    goldens.save("roi-pool")


def ps_roi() -> None:
    goldens = Goldens()
    generator = torch.Generator().manual_seed(2)
    for down, across in ((1, 1), (2, 3), (5, 2)):
        for scale in (1.0, 0.5):
            features = torch.randn(2, 2 * down * across, 11, 7, generator=generator)
            rois = regions(2, 11 / scale, 7 / scale, generator)
            for ratio in (-1, 2):
                args = call(features.clone(), rois, scale, (down, across), ratio, False)
                del args["aligned"]
                goldens.add("ps_roi_align", args)
            args = call(features.clone(), rois, scale, (down, across), 0, False)
            del args["aligned"], args["sampling_ratio"]
            goldens.add("ps_roi_pool", args)
    features = torch.randn(2, 4, 9, 8, generator=generator)
    outside, empty = missing([100, 3, 120, 3.5], [3, -9, 4, -7]), missing([2, 3, 2, 3])
    # Where torchvision's number of samples overflows to one that is not 0, along rows, its mean of none is 0, and not NaN.
    for ratio, rois in ((2, odd_regions()), (2, outside), (-1, outside), (-1, empty), (-1, odd_columns())):
        args = call(features.detach().clone(), rois, 1.0, (2, 2), ratio, False)
        del args["aligned"]
        goldens.add("ps_roi_align", args)
    near_half = torch.tensor([[0, 0.49999997, 0, 0.5, 2.5], [1, -0.49999997, -0.5, 3, 1.4999999], [0, 1, 1, 8388609, 5]])
    far = torch.tensor([[0, 2, 2, 1e9, 1e9], [1, -1e9, -1e9, 5, 300]])
    starts = [roi for roi in odd_regions() if roi[2:].isfinite().all()]
    for rois in (near_half, far, torch.stack(starts), outside):
        args = call(features.detach().clone(), rois, 1.0, (2, 2), 0, False)
        del args["aligned"], args["sampling_ratio"]
        goldens.add("ps_roi_pool", args)
    goldens.save("ps-roi")


def deform_conv2d() -> None:
    goldens = Goldens()
    generator = torch.Generator().manual_seed(3)
    kinds = itertools.product((1, 2), (1, 2, 3), (False, True), ((1, 0, 1), (2, 2, 2)))
    for groups, offset_groups, use_mask, (stride, pad, dilation) in kinds:
        channels, out, rows, columns = 6, 4, 3, 2
        input = torch.randn(2, channels, 11, 7, generator=generator)
        weight = torch.randn(out, channels // groups, rows, columns, generator=generator)
        down = (11 + 2 * pad - (dilation * (rows - 1) + 1)) // stride + 1
        across = (7 + 2 * pad - (dilation * (columns - 1) + 1)) // stride + 1
        offset = 4 * torch.randn(2, 2 * offset_groups * rows * columns, down, across, generator=generator)
        # Some places are exactly those of elements, some far away.
        offset[:, ::3] = offset[:, ::3].round()
        offset[:, 1::5] *= 7
        mask = torch.rand(2, offset_groups * rows * columns, down, across, generator=generator)
        args = {
            "input": input,
            "weight": weight,
            "offset": offset,
            "mask": mask if use_mask else torch.zeros(2, 1),
            "bias": torch.randn(out, generator=generator),
            "stride_h": stride,
            "stride_w": stride,
            "pad_h": pad,
            "pad_w": pad,
            "dilation_h": dilation,
            "dilation_w": dilation,
            "groups": groups,
            "offset_groups": offset_groups,
            "use_mask": use_mask,
        }
        if (groups, offset_groups) == (2, 3):
            args = {k: v.double() if isinstance(v, torch.Tensor) else v for k, v in args.items()}
        goldens.add("deform_conv2d", args)
    # Infinite offsets lie nowhere, and NaN is NaN, unless the other offset lies beyond a border.
    offset = torch.zeros(1, 8, 4, 5)
    for i, odd in enumerate((float("nan"), float("inf"), -float("inf"), 3e38)):
        offset[0, 2 * i, i, :3], offset[0, 2 * i + 1, i, 2:] = odd, 100.0
        offset[0, 2 * i, i, 4], offset[0, 2 * i + 1, i, 4] = 100.0, float("nan")
    args = {
        "input": torch.randn(1, 1, 5, 6, generator=generator),
        "weight": torch.randn(2, 1, 2, 2, generator=generator),
        "offset": offset,
        "mask": torch.zeros(1, 1),
        "bias": torch.randn(2, generator=generator),
    }
    numbers = dict.fromkeys(("stride_h", "stride_w"), 1) | dict.fromkeys(("pad_h", "pad_w"), 0)
    numbers |= dict.fromkeys(("dilation_h", "dilation_w", "groups", "offset_groups"), 1) | {"use_mask": False}
    goldens.add("deform_conv2d", args | numbers, False)
    # Beyond the border are zeros, not a weight of zero times an infinity.
    infinite = torch.randn(1, 1, 5, 6, generator=generator)
    infinite[0, 0, 4, 3], infinite[0, 0, 2, 5], infinite[0, 0, 0, 0] = float("inf"), -float("inf"), float("nan")
    moved = torch.randn(1, 8, 4, 5, generator=generator)
    # To a distance of exactly 1 above the first element.
    moved[0, 0, 0, 0], moved[0, 1, 0, 0] = -1.0, 0.0
    goldens.add("deform_conv2d", args | {"input": infinite, "offset": moved} | numbers, False)
    goldens.save("deform-conv2d")


def call(features: torch.Tensor, rois: torch.Tensor, scale: float, bins: tuple[int, int], ratio: int, aligned: bool) -> dict:
    return {
        "input": features,
        "rois": rois,
        "spatial_scale": scale,
        "pooled_height": bins[0],
        "pooled_width": bins[1],
        "sampling_ratio": ratio,
        "aligned": aligned,
    }


class Head(torch.nn.Module):
    """What follows the features of a detector: aligned regions of any number, a deformable convolution, and logits."""

    def __init__(self) -> None:
        super().__init__()
        self.features = torch.nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.offset = torch.nn.Conv2d(6, 18, 3, padding=1)
        self.deformed = torchvision.ops.DeformConv2d(6, 5, 3, padding=1)
        self.classes = torch.nn.Linear(5 * 3 * 2, 4)

    def forward(self, image: torch.Tensor, boxes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.features(image).relu()
        deformed = self.deformed(features, self.offset(features))
        pooled = torchvision.ops.roi_align(deformed, boxes, (3, 2), spatial_scale=0.5, sampling_ratio=-1, aligned=True)
        largest = torchvision.ops.roi_pool(features, boxes, 2, 0.5)
        return self.classes(pooled.flatten(1)).softmax(-1), largest.amax((1, 2, 3))


def program() -> None:
    """A program with these ops, and what it returns for several numbers of regions."""
    torch.manual_seed(5)
    generator = torch.Generator().manual_seed(5)
    head = Head().eval()
    image = torch.randn(2, 3, 23, 17, generator=generator)
    boxes = regions(2, 23, 17, generator)
    dims = {"image": None, "boxes": {0: torch.export.Dim("regions", min=1, max=100)}}
    exported = torch.export.export(head, (image, boxes), dynamic_shapes=dims)
    FIXTURES.mkdir(exist_ok=True)
    torch.export.save(exported, FIXTURES / "head.pt2")
    tensors = {"image": image, "boxes": boxes}
    for count in (1, 5, len(boxes)):
        shares, largest = head(image, boxes[:count])
        tensors |= {f"shares.{count}": shares.detach(), f"largest.{count}": largest.detach()}
    save_file({name: value.contiguous() for name, value in tensors.items()}, FIXTURES / "head.safetensors")


if __name__ == "__main__":
    nms()
    roi_align()
    roi_pool()
    ps_roi()
    deform_conv2d()
    program()
