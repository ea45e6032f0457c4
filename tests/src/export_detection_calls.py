"""Calls the script that exports detectors, as export-detection.test.ts asks for it: `python export_detection_calls.py FOLDER`.

Prints one line of JSON: what the command line answered to each call, and what else was asked. It needs no operators of
torchvision, only their schemas.
"""

import contextlib
import io
import json
import pathlib
import sys

import torch
from torch import Tensor, nn

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts/python"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "packages/ops-torchvision/python"))
import torchvision_schemas  # noqa: F401, I001
import export_detection as ed
import torchvision


class Cells(nn.Module):
    """A head like YOLOv8's: a class for dark cells, which are never sure, and one for bright ones."""

    def forward(self, image: Tensor) -> Tensor:
        bright = nn.functional.avg_pool2d(image.mean(1, keepdim=True), 8)
        rows, columns = (torch.arange(side) * 8 + 4.0 for side in bright.shape[-2:])
        x, y = columns.expand_as(bright), rows[:, None].expand_as(bright)
        side = torch.full_like(bright, 8.0)
        return torch.cat([x, y, side, side, 0.2 * (1 - bright), bright], dim=1).flatten(2)


def answers(folder: pathlib.Path) -> dict[str, dict]:
    (folder / "text.pth").write_text("no weights")
    (folder / "names.txt").write_text("one\n")
    torch.save({"model": {"weight": torch.zeros(2)}}, folder / "other.pth")
    ssdlite = "ssdlite320_mobilenet_v3_large"
    calls = {
        "a model that torchvision lacks": ["nonsense"],
        "a file that is not there": [ssdlite, "--weights", folder / "nowhere.pth"],
        "a file of something else": [ssdlite, "--weights", folder / "text.pth"],
        "weights of another model": [ssdlite, "--weights", folder / "other.pth"],
        "a folder of something else": [folder],
        "weights for a folder": [folder, "--weights", "none"],
        "a picture without pixels": [ssdlite, "--weights", "none", "--size", 0, 64],
        "too few names of classes": [ssdlite, "--weights", "none", "--size", 64, 64, "--labels", folder / "names.txt"],
        "a program of another name": [ssdlite, "-o", folder / "x.onnx"],
        "a place that is not there": [ssdlite, "-o", folder / "nowhere/x.pt2"],
    }
    given = {}
    for name, call in calls.items():
        with contextlib.redirect_stderr(io.StringIO()) as said:
            given[name] = {"status": ed.main([str(each) for each in call]), "said": said.getvalue()}
    return given


def counted() -> dict[str, dict[str, int]]:
    """How many classes the loader reads off the weights of models that are built for other numbers than COCO's."""
    made = {
        "fasterrcnn_mobilenet_v3_large_320_fpn": {"num_classes": 3},
        "ssd300_vgg16": {"num_classes": 4},
        "ssdlite320_mobilenet_v3_large": {"num_classes": 5},
        "retinanet_resnet50_fpn": {"num_classes": 6},
        "fcos_resnet50_fpn": {"num_classes": 7},
        "keypointrcnn_resnet50_fpn": {"num_classes": 2, "num_keypoints": 4},
    }
    with torch.device("meta"):
        models = {name: torchvision.models.get_model(name, weights=None, weights_backbone=None, **counts) for name, counts in made.items()}
    return {name: ed.counts_of(model.state_dict()) for name, model in models.items()}


def export(folder: pathlib.Path) -> tuple[int, int] | None:
    program = ed.export_detector(ed.YoloDetector(Cells(), confidence=0.5), (32, 40), (16, 96))
    ed.save_detector(program, folder / "cells.pt2", ed.preset({"shorterSide": 24, "longerSide": 80, "fit": "scale"}, ["dark", "bright"]))
    return ed.sides_of(program)


if __name__ == "__main__":
    to = pathlib.Path(sys.argv[1])
    print(json.dumps({**answers(to), "classes": counted(), "sides": export(to)}))
