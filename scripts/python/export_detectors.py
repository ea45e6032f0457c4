"""Exports detectors as `packages/ops-torchvision/python/export_detection.py` makes them: `python export_detectors.py [OUT] [--only NAME …]`.

Each is written as training IR and as ATen IR with two pictures and what is found in them, many things in the first and nothing
in the second; with `--dynamic` for pictures of any size, and three of other sizes. Weights are random, but scores differ.
torchvision's models must agree with torchvision's own code, and need an environment with its native library (see
torchvision_goldens.py); those of transformers need transformers.
"""

import argparse
import copy
import importlib
import os
import sys
import time
import traceback
import zipfile
import zlib
from collections.abc import Callable

import torch
from torch import Tensor, nn

try:
    import torchvision
except RuntimeError:  # Its native library belongs to another build of torch.
    importlib.import_module("torchvision_schemas")
    import torchvision

from pt2files import Call, check_program, record, save_program, without_traces

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../packages/ops-torchvision/python"))
import export_detection as ed
from torchvision.ops import FrozenBatchNorm2d

Build = Callable[[], tuple[nn.Module, tuple[int, int]]]

HEADS = {"cls_logits": 1.0, "cls_score": 1.5, "bbox_ctrness": 1.0, "bbox_reg": 0.4, "bbox_pred": 0.4, "mask_fcn_logits": 1.0}
"""The layers that say what is found, and how widely their results are to spread."""


class Unsuitable(ValueError):
    """Other weights are needed: no threshold tells the two pictures apart, or scores lie too close to it."""


def enliven(model: nn.Module, image: Tensor) -> None:
    """Random weights under which features neither die nor explode, and scores and boxes differ; one forward decides."""
    hooks = []

    def normalize(norm: nn.Module, args: tuple[Tensor]) -> None:
        variance, mean = torch.var_mean(args[0], (0, 2, 3), correction=0)
        norm.running_mean.copy_(0.8 * mean + 0.1 * variance.sqrt() * torch.randn_like(mean))
        norm.running_var.copy_((variance + 0.3 * mean.square()) * (0.8 + 0.4 * torch.rand_like(mean)) + 1e-3)

    def spread(to: float, around: float) -> Callable:
        def hook(layer: nn.Module, _args: tuple, result: Tensor) -> Tensor | None:
            if hasattr(layer, "spread") or result.numel() == 0:
                return None
            layer.spread = True
            factor = to / result.std().clamp(min=1e-6)
            layer.weight.mul_(factor)
            layer.bias.copy_(around + 0.3 * to * torch.randn_like(layer.bias))
            return layer(*_args)

        return hook

    for name, module in model.named_modules():
        if isinstance(module, FrozenBatchNorm2d | nn.BatchNorm2d):
            hooks.append(module.register_forward_pre_hook(normalize))
        elif isinstance(module, nn.Conv2d | nn.Linear):
            place = name.replace("regression_head.module_list", "bbox_reg").replace("classification_head.module_list", "cls_score")
            for head, width in HEADS.items():
                inner = place.split(head, 1)[1] if head in place else None
                if inner is not None and module.bias is not None:
                    hooks.append(module.register_forward_hook(spread(width, -4.0 if head == "cls_logits" else 0.0)))
    with torch.no_grad():
        model.eval()([image[0], torch.full_like(image[0], 0.1), 0.4 + 0.2 * image[0].flip(2)])
    for hook in hooks:
        hook.remove()


def smooth(size: tuple[int, int]) -> Tensor:
    """A picture of soft spots, [1, 3, H, W]."""
    return nn.functional.interpolate(torch.rand(1, 3, 9, 11), size, mode="bicubic").clamp(0, 1)


def spread_scores(model: nn.Module, size: tuple[int, int]) -> list[Tensor]:
    """Sets the threshold of the scores so that one picture has things in it and another has none; returns both."""
    owner = getattr(model, "roi_heads", model)
    noise = [smooth(size) for _ in range(3)]
    pictures = [*noise, *(0.5 + contrast * (noise[0] - 0.5) for contrast in (0.5, 0.2)), torch.full((1, 3, *size), 0.1)]
    best = []
    for picture in pictures:
        owner.score_thresh = 0.0
        found = ed.eager_result(model, picture)["scores"]
        best.append(torch.cat([found, torch.zeros(1)]).sort(descending=True).values)
    order = sorted(range(len(pictures)), key=lambda i: best[i][0].item())
    least, most = order[0], order[-1]
    if not best[least][0] < best[most][3]:
        raise Unsuitable(f"no picture is empty: {[b[:4].tolist() for b in best]}")
    above = best[most][best[most] > best[least][0]][: 1 + int(0.7 * owner.detections_per_img)]
    gaps = above[:-1] - above[1:]
    wide = [i for i in range(2, min(20, len(gaps))) if gaps[i] >= 1e-3 and gaps[:i].min() > 1e-4]
    if not wide:
        raise Unsuitable("scores that are almost equal")
    after = wide[-1]
    owner.score_thresh = (0.5 * (above[after] + above[after + 1])).item()
    return [pictures[most], pictures[least]]


def torchvision_model(name: str, side: int, **options: float) -> Callable[[], tuple[nn.Module, list[Tensor]]]:
    def build() -> tuple[nn.Module, list[Tensor]]:
        model = torchvision.models.get_model(name, weights=None, weights_backbone=None, **options).eval()
        size = (side, side)
        if model.transform.fixed_size is not None:
            model.transform.fixed_size = size
        model.transform.min_size, model.transform.max_size = (side,), side
        with torch.no_grad():
            enliven(model, smooth(size))
        return model, spread_scores(model, size)

    return build


RCNN = {"rpn_pre_nms_top_n_test": 300, "rpn_post_nms_top_n_test": 60}
TORCHVISION = {
    "ssd300_vgg16": torchvision_model("ssd300_vgg16", 300, topk_candidates=9),
    "ssdlite320_mobilenet_v3_large": torchvision_model("ssdlite320_mobilenet_v3_large", 320, topk_candidates=9),
    "retinanet_resnet50_fpn": torchvision_model("retinanet_resnet50_fpn", 128, topk_candidates=150),
    "retinanet_resnet50_fpn_v2": torchvision_model("retinanet_resnet50_fpn_v2", 128, topk_candidates=150),
    "fcos_resnet50_fpn": torchvision_model("fcos_resnet50_fpn", 128, topk_candidates=150),
    "fasterrcnn_mobilenet_v3_large_fpn": torchvision_model("fasterrcnn_mobilenet_v3_large_fpn", 160, **RCNN),
    "fasterrcnn_mobilenet_v3_large_320_fpn": torchvision_model("fasterrcnn_mobilenet_v3_large_320_fpn", 160, **RCNN),
    "fasterrcnn_resnet50_fpn": torchvision_model("fasterrcnn_resnet50_fpn", 128, **RCNN),
    "fasterrcnn_resnet50_fpn_v2": torchvision_model("fasterrcnn_resnet50_fpn_v2", 128, **RCNN),
    "maskrcnn_resnet50_fpn": torchvision_model("maskrcnn_resnet50_fpn", 128, **RCNN),
    "maskrcnn_resnet50_fpn_v2": torchvision_model("maskrcnn_resnet50_fpn_v2", 128, **RCNN),
    "keypointrcnn_resnet50_fpn": torchvision_model("keypointrcnn_resnet50_fpn", 128, **RCNN),
}


def small_models() -> dict[str, Callable[[], tuple[nn.Module, list[Tensor]]]]:
    """The models of small_detectors.py."""
    from small_detectors import MODELS, SIZE

    def lively(make: Callable[[], nn.Module]) -> Callable[[], tuple[nn.Module, list[Tensor]]]:
        def build() -> tuple[nn.Module, list[Tensor]]:
            model = make()
            with torch.no_grad():
                enliven(model, smooth(SIZE))
            return model, spread_scores(model, SIZE)

        return build

    return {name: lively(make) for name, make in MODELS.items()}


class Yolo(nn.Module):
    """A network whose head has the shape of YOLOv8's: three levels, boxes as distances from the middle of each cell."""

    def __init__(self, classes: int = 6, width: int = 16) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.SiLU(), nn.Conv2d(width, width, 3, 2, 1), nn.SiLU())
        self.down = nn.ModuleList(nn.Sequential(nn.Conv2d(width, width, 3, 2, 1), nn.SiLU()) for _ in range(3))
        self.heads = nn.ModuleList(nn.Conv2d(width, 4 + classes, 3, 1, 1) for _ in range(3))

    def forward(self, image: Tensor) -> Tensor:
        x, found = self.stem(image), []
        for level, (down, head) in enumerate(zip(self.down, self.heads, strict=True)):
            x, stride = down(x), 8 * 2**level
            y = head(x)
            rows, columns = y.shape[-2:]
            row, column = torch.meshgrid(torch.arange(rows) + 0.5, torch.arange(columns) + 0.5, indexing="ij")
            near, far = y[:, :4].exp().split(2, dim=1)
            middle = torch.stack([column, row])[None]
            boxes = torch.cat([middle + (far - near) / 2, near + far], dim=1) * stride
            found.append(torch.cat([boxes, y[:, 4:].sigmoid()], dim=1).flatten(2))
        return torch.cat(found, dim=2)


def yolo() -> tuple[nn.Module, list[Tensor]]:
    network = Yolo().eval()
    with torch.no_grad():
        for head in network.heads:
            head.weight.mul_(6)
    images = [torch.rand(1, 3, 96, 128), torch.full((1, 3, 96, 128), 0.0)]
    with torch.no_grad():
        dark = network(images[1])[:, 4:].max().item()
        bright = network(images[0])[:, 4:].amax(1).flatten().sort(descending=True).values
    if not dark < bright[5]:
        raise Unsuitable("no picture is empty")
    return ed.YoloDetector(network, confidence=max(dark, bright[40].item()), iou_threshold=0.5), images


TRANSFORMERS = ("yolos", "detr", "conditional_detr", "deformable_detr", "rt_detr", "rt_detr_v2", "d_fine")


def transformers_models() -> dict[str, Callable[[], tuple[nn.Module, list[Tensor]]]]:
    """The detectors that zoo/detection_models.py builds small."""
    try:
        from zoo.detection_models import SPECS
    except ImportError:
        return {}
    from zoo.weights import enliven as enlivened

    def build(spec: object) -> Callable[[], tuple[nn.Module, list[Tensor]]]:
        def make() -> tuple[nn.Module, list[Tensor]]:
            call = spec.calls()[0]
            model = enlivened(spec.build(True), call)
            shape = call.kwargs["pixel_values"].shape
            return ed.TransformersDetector(model, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]), [torch.rand(shape), torch.rand(shape).square()]

        return make

    return {f"{spec.name}_detector": build(spec) for spec in SPECS if spec.name in TRANSFORMERS}


def require_stable(detector: nn.Module, images: list[Tensor], gap: float = 2e-7) -> None:
    """Asks that scores are apart, and that float64 finds the same: then nothing is decided by rounding."""
    exact = copy.deepcopy(detector).double()
    for image in images:
        with torch.no_grad():
            found, expected = detector(image), exact(image.double())
        gaps = -found["scores"].diff()
        # Without `topk` equal scores stay in order.
        if not getattr(detector, "has_nothing_class", False) and (gaps < gap).any():
            raise Unsuitable("scores that are almost equal")
        for name, value in expected.items():
            same = value.shape == found[name].shape
            if not same or not torch.allclose(found[name].double(), value.double(), rtol=1e-3, atol=2e-4 if "score" in name else 1e-3):
                raise Unsuitable(f"{name} depend on rounding")


def compress(path: str) -> None:
    """Deflates the entries of an archive; PyTorch stores them as they are, and most of a small one is JSON."""
    with zipfile.ZipFile(path) as archive:
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def picture_of(size: tuple[int, int], detector: nn.Module, gap: float) -> Tensor:
    """A picture in which a detector finds things whose scores are apart."""
    for _ in range(50):
        image = smooth(size)
        try:
            require_stable(detector, [image], gap)
        except Unsuitable:
            continue
        with torch.no_grad():
            if len(detector(image)["scores"]) > 1:
                return image
    raise Unsuitable(f"no picture of {size[0]} × {size[1]} has things that are apart")


def export_one(name: str, build: Callable[[], tuple[nn.Module, list[Tensor]]], folder: str, small: bool, dynamic: bool) -> str:
    for attempt in range(20):
        torch.manual_seed(zlib.crc32(name.encode()) + attempt)
        try:
            model, images = build()
            size = tuple(images[0].shape[-2:])
            detector = ed.torchvision_detector(model, size) if hasattr(model, "transform") else model.eval()
            require_stable(detector, images)
            program = ed.export_detector(detector, size, (min(size) // 2, max(size) * 2) if dynamic else None)
            if dynamic:
                low, high = ed.sides_of(program)
                # Fifty layers with random weights amplify rounding.
                gap = 1e-3 if hasattr(model, "transform") else 2e-7
                others = ((low, high), (high, low), (low + 7, (low + high) // 2 | 1))
                images += [picture_of(other, detector, gap) for other in others]
            break
        except Unsuitable:
            if attempt == 19:
                raise
    calls = [Call((image,)) for image in images]
    recording = record(detector, calls)
    counts = [len(recording.expected[key]) for key in recording.expected if key.split(".")[-1] == "0"]
    if hasattr(model, "transform"):
        ed.check_torchvision(model, detector, program.module(), images)
    kind = "_dynamic" if dynamic else ""
    for suffix, dialect in ((kind, program), (f"{kind}_aten", copy.deepcopy(program).run_decompositions())):
        if small:
            dialect = without_traces(dialect)
        path = save_program(folder, name + suffix, dialect, recording, [os.path.join(folder, name)] if small else [])
        check_program(path, calls, recording)
        if small:
            compress(path)
    return f"{size[0]} × {size[1]}, {', '.join(map(str, counts))} boxes, {os.path.getsize(path) / 1e6:.1f} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--small", action="store_true", help="small networks, for fixtures; default folder tests/fixtures/torchvision")
    parser.add_argument("--dynamic", action="store_true", help="programs for pictures of any size")
    options = parser.parse_args()
    has_kernels = torchvision.extension._has_ops()
    models = small_models() if options.small else {**TORCHVISION, "yolo": yolo} if has_kernels else transformers_models()
    folder = options.folder or os.path.join(os.path.dirname(__file__), "../..", "tests/fixtures/torchvision" if options.small else ".cache/detectors")
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name in options.only or models:
        start = time.time()
        try:
            line = export_one(name, models[name], folder, options.small, options.dynamic)
        except Exception as error:  # one model must not stop the rest
            failed += 1
            traceback.print_exc()
            line = f"FAILED {type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"
        print(f"{name:40} {time.time() - start:6.1f}s  {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
