"""Trains a detector of handwritten digits and colored shapes, and exports it: `python train_detector.py`.

Writes beside itself `digits-and-shapes.pt2` (`image` float32 [1, 3, 192, 192], red, green and blue from 0 to 1, to `boxes`
float32 [n, 4], `scores` float32 [n], descending, and `labels` int64 [n]), `digits-and-shapes.json` (how a picture becomes
that image, and the names of the labels) and `scenes`: pictures with digits and parts of photographs that were not trained
on, and in `scenes.json` what is in them and what PyTorch finds. Writes nothing when the mean average precision on 400
other such scenes, at an overlap of 0.5, is below 0.9. It takes 15 minutes on one core.
"""

import contextlib
import json
import pathlib
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from detector import Detector, Grids, loss_of, overlaps
from PIL import Image
from scenes import GRAY, LABELS, Painter, Scene
from sklearn.datasets import load_digits, load_sample_images
from sklearn.model_selection import train_test_split

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../../scripts/python"))

import torchvision_schemas  # noqa: E402, F401
from pt2files import make_portable  # noqa: E402

SIDE, BATCH, STEPS, REFRESH = 192, 32, 2400, 300
SIZES = [(640, 480), (480, 640), (640, 480), (512, 512), (640, 360), (640, 480), (640, 480), (480, 640)]
EMPTY = (480, 320)


def _suppress(boxes: torch.Tensor, scores: torch.Tensor, most_overlap: float) -> torch.Tensor:
    """`torchvision::nms` where torchvision is not installed."""
    order, kept = scores.argsort(descending=True, stable=True), []
    matrix = overlaps(boxes, boxes)
    for i in order.tolist():
        if not any(matrix[i, j] > most_overlap for j in kept):
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def provide_nms() -> None:
    """Lets PyTorch call and export `torchvision::nms`, with torchvision or without."""
    with contextlib.suppress(ImportError):
        import torchvision  # noqa: F401
    nms = torch.ops.torchvision.nms.default
    if not torch._C._dispatch_has_kernel_for_dispatch_key(nms.name(), "CPU"):
        torch.library.impl("torchvision::nms", "CPU", _suppress)
        torch.library.register_fake(
            "torchvision::nms", lambda boxes, *_: boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)
        )


def split_sources() -> tuple[tuple, tuple]:
    """Digits, their values and photographs: to train with, and to test with."""
    data = load_digits()
    fit, held = train_test_split(np.arange(len(data.images)), test_size=0.2, stratify=data.target, random_state=7)
    photos = [Image.fromarray(pixels) for pixels in load_sample_images().images]
    left = [photo.crop((0, 0, photo.width * 6 // 10, photo.height)) for photo in photos]
    right = [photo.crop((photo.width * 6 // 10, 0, photo.width, photo.height)) for photo in photos]
    return (data.images[fit], data.target[fit], left), (data.images[held], data.target[held], right)


def batch_of(scenes: list[Scene]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Images, boxes and labels; where a scene has fewer boxes than others the rest are empty."""
    images = torch.from_numpy(np.stack([scene.pixels for scene in scenes])).permute(0, 3, 1, 2)
    most = max(len(scene.boxes) for scene in scenes)
    boxes, labels = torch.zeros(len(scenes), most, 4), torch.zeros(len(scenes), most, dtype=torch.int64)
    for i, scene in enumerate(scenes):
        boxes[i, : len(scene.boxes)] = torch.tensor(scene.boxes).reshape(-1, 4)
        labels[i, : len(scene.labels)] = torch.tensor(scene.labels, dtype=torch.int64)
    return images.contiguous(memory_format=torch.channels_last), boxes, labels


def train(grids: Grids, sources: tuple) -> None:
    optimizer = torch.optim.AdamW(grids.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=STEPS, pct_start=0.15)
    started, total = time.monotonic(), 0.0
    for step in range(STEPS):
        if step % REFRESH == 0:
            painter = Painter(*sources, seed=1000 + step, pool=4000)
        images, boxes, labels = batch_of([painter.training_scene(SIDE) for _ in range(BATCH)])
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(grids, images, boxes, labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(grids.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 50 == 49:
            print(f"step {step + 1:5}  loss {total / 50:.3f}  {time.monotonic() - started:.0f} s", flush=True)
            total = 0.0


def average_precision(found: list[tuple[float, bool]], count: int) -> float:
    """The area below precision over recall, precision made monotonous."""
    found.sort(key=lambda each: -each[0])
    hits = np.cumsum([hit for _, hit in found])
    precision = np.maximum.accumulate((hits / np.arange(1, len(hits) + 1))[::-1])[::-1]
    return float(sum(precision[i] for i, (_, hit) in enumerate(found) if hit) / count)


@torch.no_grad()
def mean_average_precision(detector: Detector, scenes: list[Scene]) -> float:
    """Mean over the labels, a box found where it overlaps one that is not found yet by more than half."""
    found: list[list[tuple[float, bool]]] = [[] for _ in LABELS]
    for scene in scenes:
        answer = detector(batch_of([scene])[0])
        truth = torch.tensor(scene.boxes).float().reshape(-1, 4)
        # A column of zeros more, for scenes without anything.
        matrix = F.pad(overlaps(answer["boxes"], truth) * (answer["labels"][:, None] == torch.tensor(scene.labels)), (0, 1))
        for i, (score, label) in enumerate(zip(answer["scores"].tolist(), answer["labels"].tolist(), strict=True)):
            overlap, at = matrix[i].max(0)
            found[label].append((score, bool(overlap > 0.5)))
            if overlap > 0.5:
                matrix[:, at] = 0
    counts = np.bincount([label for scene in scenes for label in scene.labels], minlength=len(LABELS))
    return float(np.mean([average_precision(each, count) for each, count in zip(found, counts, strict=True)]))


@torch.no_grad()
def found_in(detector: Detector, picture: Image.Image) -> dict[str, list]:
    """What PyTorch finds in a picture, in its own pixels, scores of a half and more: resized and centered on gray."""
    scale = min(SIDE / picture.width, SIDE / picture.height)
    width, height = round(picture.width * scale), round(picture.height * scale)
    image = torch.from_numpy(np.asarray(picture, np.float32) / 255).permute(2, 0, 1)[None]
    image = F.interpolate(image, (height, width), mode="bilinear", antialias=True)
    left, top = (SIDE - width) // 2, (SIDE - height) // 2
    answer = detector(F.pad(image, (left, SIDE - width - left, top, SIDE - height - top), value=GRAY))
    sure = answer["scores"] >= 0.5
    scales = torch.tensor([width / picture.width, height / picture.height]).repeat(2)
    boxes = (answer["boxes"][sure] - torch.tensor([left, top, left, top])) / scales
    limits = torch.tensor([picture.width, picture.height]).repeat(2)
    return {
        "boxes": [[round(side, 3) for side in box] for box in boxes.clamp(min=0).minimum(limits).tolist()],
        "scores": [round(score, 5) for score in answer["scores"][sure].tolist()],
        "labels": answer["labels"][sure].tolist(),
    }


def save_scenes(detector: Detector, sources: tuple) -> None:
    folder = HERE / "scenes"
    folder.mkdir(exist_ok=True)
    painter, facts = Painter(*sources, seed=23), []
    for number, (width, height) in enumerate([*SIZES, EMPTY]):
        least, most = (0, 0) if (width, height) == EMPTY else (5, 9)
        scene = painter.draw(width, height, max(width, height) / SIDE, least, most)
        path = folder / f"{number}.jpg"
        Image.fromarray((scene.pixels * 255).astype(np.uint8)).save(path, quality=80, optimize=True)
        facts.append({"picture": path.name, "boxes": scene.boxes, "labels": scene.labels, "found": found_in(detector, Image.open(path))})
    (folder / "scenes.json").write_text("[\n" + ",\n".join(json.dumps(each) for each in facts) + "\n]\n")


def save_program(detector: Detector, sample: Scene) -> None:
    """The sample is in the file as well, for tools that run a program without being given inputs."""
    program = torch.export.export(detector, (batch_of([sample])[0].contiguous(),))
    # Who loads it without the op is told what to install.
    nms = {"schema": str(torch.ops.torchvision.nms.default._schema), "package": "@pt2/ops-torchvision", "version": None}
    packages = json.dumps({"torchvision::nms": nms})
    torch.export.save(make_portable(program), HERE / "digits-and-shapes.pt2", extra_files={"custom_ops.json": packages})
    image = {"height": SIDE, "width": SIDE, "fit": "letterbox", "antialias": True, "fill": GRAY}
    sidecar = {"version": 1, "task": "object-detection", "image": image, "labels": LABELS, "threshold": 0.5}
    (HERE / "digits-and-shapes.json").write_text(json.dumps(sidecar) + "\n")


def main() -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)
    provide_nms()
    trained_on, held = split_sources()
    grids = Grids(SIDE, len(LABELS)).to(memory_format=torch.channels_last).train()
    print(f"{sum(weights.numel() for weights in grids.parameters()):,} weights")
    train(grids, trained_on)
    detector = Detector(grids.to(memory_format=torch.contiguous_format), SIDE).eval()
    tested = Painter(*held, seed=5)
    scenes = [tested.training_scene(SIDE) for _ in range(400)]
    precision = mean_average_precision(detector, scenes)
    print(f"mean average precision at an overlap of 0.5: {precision:.3f}")
    if precision < 0.9:
        sys.exit("below 0.9: nothing was written")
    save_program(detector, scenes[0])
    save_scenes(detector, held)


if __name__ == "__main__":
    main()
