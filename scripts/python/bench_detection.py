"""Ops of torchvision for the benchmark of detection.

`python bench_detection.py export FOLDER` writes a program of one call each, with its inputs and torchvision's results.
`python bench_detection.py run FOLDER NAME THREADS` makes the call once per line of input, and prints the milliseconds.
Needs a torchvision with its native library, see torchvision_goldens.py.
"""

import pathlib
import sys
import time
from collections.abc import Callable

import torch
import torchvision
from safetensors.torch import load_file, save_file

ops = torchvision.ops


class Op(torch.nn.Module):
    def __init__(self, call: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.call = call

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return self.call(*tensors)


def boxes(count: int, extent: float, generator: torch.Generator) -> torch.Tensor:
    corner = extent * torch.rand(count, 2, generator=generator)
    return torch.cat([corner, corner + 5 + 100 * torch.rand(count, 2, generator=generator)], dim=1)


def suppress(dets: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    return ops.nms(dets, scores, 0.5)


def align(features: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
    return ops.roi_align(features, rois, (7, 7), spatial_scale=1 / 16, sampling_ratio=2)


def align_adaptive(features: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
    return ops.roi_align(features, rois, (7, 7), spatial_scale=1 / 16, aligned=True)


def largest(features: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
    return ops.roi_pool(features, rois, (7, 7), spatial_scale=1 / 16)


def align_own(features: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
    return ops.ps_roi_align(features, rois, (7, 7), spatial_scale=1 / 16, sampling_ratio=2)


def mean_own(features: torch.Tensor, rois: torch.Tensor) -> torch.Tensor:
    return ops.ps_roi_pool(features, rois, (7, 7), spatial_scale=1 / 16)


def deform(x: torch.Tensor, offset: torch.Tensor, mask: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return ops.deform_conv2d(x, offset, weight, padding=(1, 1), mask=mask)


def regions(count: int, generator: torch.Generator) -> torch.Tensor:
    corner = torch.rand(count, 2, generator=generator) * torch.tensor([900.0, 600.0])
    size = 16 + torch.rand(count, 2, generator=generator) * torch.tensor([400.0, 300.0])
    return torch.cat([torch.zeros(count, 1), corner, corner + size], dim=1)


def cases() -> dict[str, tuple[Callable[..., torch.Tensor], list[torch.Tensor]]]:
    generator = torch.Generator().manual_seed(7)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    def deformable(channels: int, size: int) -> list[torch.Tensor]:
        mask = torch.rand(1, 9, size, size, generator=generator)
        return [random(1, channels, size, size), 2 * random(1, 18, size, size), mask, random(channels, channels, 3, 3)]

    return {
        "nms_20000": (suppress, [boxes(20_000, 1000, generator), torch.rand(20_000, generator=generator)]),
        "nms_20000_dense": (suppress, [boxes(20_000, 200, generator), torch.rand(20_000, generator=generator)]),
        "roi_align_1000x256": (align, [random(1, 256, 50, 68), regions(1000, generator)]),
        "roi_align_adaptive_1000x256": (align_adaptive, [random(1, 256, 50, 68), regions(1000, generator)]),
        "roi_pool_1000x256": (largest, [random(1, 256, 50, 68), regions(1000, generator)]),
        "ps_roi_align_1000x490": (align_own, [random(1, 490, 50, 68), regions(1000, generator)]),
        "ps_roi_pool_1000x490": (mean_own, [random(1, 490, 50, 68), regions(1000, generator)]),
        "deform_conv2d_256x28": (deform, deformable(256, 28)),
        "deform_conv2d_64x56": (deform, deformable(64, 56)),
    }


def export(folder: pathlib.Path) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    for name, (call, tensors) in cases().items():
        torch.export.save(torch.export.export(Op(call), tuple(tensors)), folder / f"{name}.pt2")
        save_file({str(i): tensor for i, tensor in enumerate(tensors)}, folder / f"{name}.inputs.safetensors")
        save_file({"0": call(*tensors).contiguous()}, folder / f"{name}.expected.safetensors")
        print(name, flush=True)


def run(folder: pathlib.Path, name: str, threads: int) -> None:
    torch.set_num_threads(threads)
    given = load_file(folder / f"{name}.inputs.safetensors")
    tensors = [given[str(i)] for i in range(len(given))]
    call, _ = cases()[name]
    with torch.inference_mode():
        call(*tensors)
        print("ready", flush=True)
        for _ in sys.stdin:
            began = time.perf_counter()
            call(*tensors)
            print((time.perf_counter() - began) * 1000, flush=True)


if __name__ == "__main__":
    task, folder, *rest = sys.argv[1:]
    if task == "export":
        export(pathlib.Path(folder))
    else:
        run(pathlib.Path(folder), rest[0], int(rest[1]))
