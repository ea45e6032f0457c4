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
    """Regions inside, across borders, outside, without size, turned over, and larger than everything."""
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
        # Equal scores, equal boxes, corners that coincide, boxes without size and turned over, overlaps of one half.
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
