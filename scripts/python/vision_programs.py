"""Writes what the tests of `@pt2/vision` run: `python vision_programs.py`.

A detector of one bright thing, whose place follows from the pixels, and of another one of a low score; a classifier of the
brightest color. Both take pictures of any size. And masks, as torchvision pastes them into a picture.
"""

import json
import pathlib

import torch

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
from torchvision.models.detection.roi_heads import paste_masks_in_image

OUT = pathlib.Path(__file__).parents[2] / "packages/vision/src"


class BrightThing(torch.nn.Module):
    def forward(self, image: torch.Tensor) -> dict[str, torch.Tensor]:
        bright = image[0].mean(0) > 0.5
        height, width = bright.shape

        def ends(along: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor]:
            places = torch.arange(size, dtype=torch.float32)
            return torch.where(along, places, 1e6).amin(), torch.where(along, places + 1, -1e6).amax()

        left, right = ends(bright.any(0), width)
        top, bottom = ends(bright.any(1), height)
        thing = torch.stack([left, top, right, bottom])
        # The left half of each box, and two of its corners.
        mask = (torch.arange(28) < 14).float().expand(2, 1, 28, 28).contiguous()
        seen = torch.ones((), dtype=torch.float32)
        corners = torch.stack([torch.stack([left, top, seen]), torch.stack([right, bottom, seen])])
        return {
            "boxes": torch.stack([torch.tensor([0.0, 0.0, 1.0, 1.0]), thing]),
            "scores": torch.tensor([0.2, 0.9]),
            "labels": torch.tensor([0, 1]),
            "masks": mask,
            "keypoints": torch.stack([corners, corners]),
        }


class BrightestColor(torch.nn.Module):
    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return 10 * image.mean((2, 3))


def masks() -> None:
    """Masks of boxes inside, across borders, smaller than a pixel, and as large as the picture."""
    height, width, side = 23, 31, 7
    generator = torch.Generator().manual_seed(3)
    boxes = [[3.2, 4.7, 20.9, 17.1], [-5.5, -3.2, 8.4, 40.0], [10.0, 10.0, 10.4, 10.2], [25.0, 2.0, 45.0, 30.0], [0.0, 0.0, 31.0, 23.0]]
    cases = []
    for box in boxes:
        shares = (1000 * torch.rand(1, 1, side, side, generator=generator)).round() / 1000
        pasted = paste_masks_in_image(shares, torch.tensor([box]), (height, width))[0, 0] > 0.5
        covered = "".join(str(int(each)) for each in pasted.flatten())
        cases.append({"box": box, "shares": [round(share, 3) for share in shares.flatten().tolist()], "covered": covered})
    golden = {"height": height, "width": width, "side": side, "masks": cases}
    (OUT / "mask.golden.json").write_text(json.dumps(golden, indent=1) + "\n")


def main() -> None:
    masks()
    sides = {2: torch.export.Dim("height", min=2, max=4096), 3: torch.export.Dim("width", min=2, max=4096)}
    for name, module in {"bright-thing": BrightThing(), "brightest-color": BrightestColor()}.items():
        program = torch.export.export(module, (torch.rand(1, 3, 31, 37),), dynamic_shapes=(sides,))
        path = OUT / f"{name}.golden.pt2"
        torch.export.save(program, path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
