"""Writes what torchvision's transforms make of pictures, for the tests of `@pt2/vision`: `python image_goldens.py`.

A thousand random sizes, resized with and without antialiasing, and cropped; of each result some elements. Pictures follow
from a formula (`pixels`), so that the file holds results alone.
"""

import json
import pathlib

import numpy as np
import torch

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
from safetensors.torch import save_file
from torchvision.transforms.v2 import InterpolationMode
from torchvision.transforms.v2 import functional as transforms

OUT = pathlib.Path(__file__).parents[2] / "packages/vision/src/image-ops.golden.safetensors"
CASES = 1000
SAMPLES = 24


def pixels(height: int, width: int) -> torch.Tensor:
    """A picture with edges and slopes, uint8 [3, height, width]."""
    c, y, x = np.meshgrid(np.arange(3), np.arange(height), np.arange(width), indexing="ij")
    return torch.from_numpy(((x * 7 + y * 11 + c * 53 + (x // 5) * (y // 3) * 29) % 256).astype(np.uint8))


def samples(image: torch.Tensor) -> torch.Tensor:
    """Elements at equal distances, the first and the last one among them."""
    flat = image.reshape(-1)
    return flat[torch.arange(SAMPLES) * (len(flat) - 1) // (SAMPLES - 1)]


def main() -> None:
    generator = np.random.default_rng(9)
    cases, floats, bytes_ = [], [], []
    for i in range(CASES):
        # With a side of one pixel, PyTorch's own resize of bytes fails an assertion.
        height, width, down, across = (int(size) for size in np.exp(generator.uniform(np.log(2), np.log(150), 4)).round())
        antialias, bicubic = i % 4 != 3, i % 10 == 9
        mode = InterpolationMode.BICUBIC if bicubic else InterpolationMode.BILINEAR
        source = pixels(height, width)
        options = {"interpolation": mode, "antialias": antialias}
        floats.append(samples(transforms.resize(source.float() / 255, [down, across], **options)))
        bytes_.append(samples(transforms.resize(source, [down, across], **options)))
        cases.append([height, width, down, across, antialias, "bicubic" if bicubic else "bilinear"])
    crops, cropped = [], []
    for _ in range(100):
        height, width, down, across = (int(size) for size in generator.integers(1, 40, 4))
        cropped.append(samples(transforms.center_crop(pixels(height, width).float() / 255, [down, across])))
        crops.append([height, width, down, across])
    tensors = {"floats": torch.stack(floats), "bytes": torch.stack(bytes_), "cropped": torch.stack(cropped)}
    metadata = {"resized": json.dumps(cases), "crops": json.dumps(crops)}
    save_file(tensors, OUT, metadata=metadata)
    print(f"{OUT.name}: {OUT.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
