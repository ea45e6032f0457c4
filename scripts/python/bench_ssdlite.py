"""SSDlite320 from a picture's bytes to its boxes, for the benchmark of detection.

`python bench_ssdlite.py FOLDER` writes `ssdlite320.pt2` and `ssdlite320.json`, as export_detection.py makes them for
`@pt2/vision`; and for ONNX Runtime the same network with the resizing of the picture before it: `ssdlite320.onnx` as
torch.onnx exports it, and `ssdlite320_first.onnx`, whose suppression stops at the 300 boxes that are taken of it.
`ssdlite320.expected.safetensors` has the boxes and the scores of what PyTorch finds in the picture of `ssdlite320.inputs.safetensors`, uint8
[480, 640, 3]. Needs a torchvision with its native library, onnx and onnxscript.
"""

import pathlib
import sys

import onnx
import torch
import torchvision
from onnx import numpy_helper
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "packages/ops-torchvision/python"))
import export_detection

SIDE = 320


class FromBytes(nn.Module):
    """A detector of pictures of SIDE x SIDE, for bytes [H, W, 3] of any size; the boxes are in pixels of that picture."""

    def __init__(self, detector: nn.Module) -> None:
        super().__init__()
        self.detector = detector

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        height, width, _ = picture.shape
        found = self.detector(images(picture[None]))
        scale = torch.tensor([width / SIDE, height / SIDE] * 2)
        return found["boxes"] * scale, found["scores"], found["labels"]


def images(pictures: Tensor) -> Tensor:
    """Bytes [n, H, W, 3] as the network takes them: floats [n, 3, SIDE, SIDE]."""
    floats = pictures.permute(0, 3, 1, 2).float().contiguous() / 255
    return F.interpolate(floats, size=(SIDE, SIDE), mode="bilinear", align_corners=False)


def smooth_pictures(count: int) -> Tensor:
    floats = F.interpolate(torch.rand(count, 3, 30, 40), size=(480, 640), mode="bicubic").clamp(0, 1)
    return (floats.permute(0, 2, 3, 1) * 255).round().byte().contiguous()


def network(pictures: Tensor) -> nn.Module:
    """Random weights, whose numbers have the sizes of a trained network's: 1 candidate in 8 is above the threshold of 0.001.

    With the statistics that a new network has, all scores are equal, and suppression would be most of the work.
    """
    model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None)
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    model.eval()
    for norm in norms:
        norm.momentum = None
        norm.reset_running_stats()
        norm.train()
    # 0.5 is this model's mean and deviation of pictures.
    logits = model.head(list(model.backbone((images(pictures) - 0.5) / 0.5).values()))["cls_logits"]
    for head in model.head.classification_head.module_list:
        head[1].weight *= 1.5 / logits.std()
        head[1].bias.zero_()
        # The background is the first class of each anchor.
        head[1].bias.view(-1, logits.shape[-1])[:, 0] = 12
    return model.eval()


def limit_suppression(path: pathlib.Path, target: pathlib.Path, most: int) -> None:
    """Tells NonMaxSuppression to stop at the `most` surest boxes: what follows it takes no more."""
    model = onnx.load(path)
    (node,) = (node for node in model.graph.node if node.op_type == "NonMaxSuppression")
    model.graph.initializer.append(numpy_helper.from_array(torch.tensor(most).numpy(), "most"))
    node.input[2] = "most"
    onnx.save(model, target)


@torch.no_grad()
def main(folder: pathlib.Path) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    torch.manual_seed(5)
    pictures = smooth_pictures(8)
    picture = pictures[0]
    model = network(pictures)
    detector = export_detection.torchvision_detector(model, (SIDE, SIDE))
    size = {"height": SIDE, "width": SIDE, "fit": "stretch", "antialias": False}
    beside = export_detection.preset(size, [f"class {index}" for index in range(91)]) | {"threshold": 0.001}
    export_detection.save_detector(export_detection.export_detector(detector, (SIDE, SIDE)), folder / "ssdlite320.pt2", beside)
    whole = FromBytes(detector).eval()
    boxes, scores, _ = (part.contiguous() for part in whole(picture))
    save_file({"0": picture}, folder / "ssdlite320.inputs.safetensors")
    save_file({"0": boxes, "1": scores}, folder / "ssdlite320.expected.safetensors")
    program = torch.export.export(whole, (picture,), strict=False)
    exported = torch.onnx.export(program, (picture,), dynamo=True, opset_version=18, output_names=["boxes", "scores", "labels"])
    exported.save(folder / "ssdlite320.onnx")
    limit_suppression(folder / "ssdlite320.onnx", folder / "ssdlite320_first.onnx", model.detections_per_img)
    logits = model.head(list(detector.features(images(picture[None]))[1].values()))["cls_logits"][0]
    candidates = torch.softmax(logits, dim=-1)[:, 1:].t().topk(model.topk_candidates)[0] > model.score_thresh
    print(f"{int(candidates.sum())} candidates, {len(scores)} boxes, the surest {float(scores[0]):.3f}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
