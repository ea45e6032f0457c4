"""Exports detectors with `torch.export`, pictures in, boxes out.

    python export_detection.py ssdlite320_mobilenet_v3_large -o ssdlite.pt2 --weights DEFAULT --check

writes `ssdlite.pt2`, the program, and `ssdlite.json`, which says what to do with pictures and what the classes are called.
MODEL is a detection model of torchvision, or a folder that transformers saved (DETR, YOLOS, RT-DETR, D-FINE). It needs the files
beside it, torch and torchvision, and transformers for such a folder.

Every program takes `image`, float32 [1, 3, H, W], RGB from 0 to 1; normalizing is inside. It returns a dict:

- `boxes` float32 [n, 4]: x1, y1, x2, y2 in pixels of `image`; `scores` float32 [n], descending; `labels` int64 [n]
- `masks` float32 [n, 1, 28, 28]: probabilities inside the box, before they are pasted (Mask R-CNN)
- `keypoints` float32 [n, k, 3] and `keypoints_scores` float32 [n, k] (Keypoint R-CNN)

n depends on the picture and may be 0.
"""

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

import torch
from check_detectors import Undecided, check_torchvision, eager_result
from exportable_detectors import TransformersDetector, YoloDetector, torchvision_detector
from load_detectors import Loaded, Refused, first_line, load_torchvision, load_transformers
from torch import nn
from torch.export import Dim, ExportedProgram

__all__ = [
    "TransformersDetector",
    "YoloDetector",
    "check_torchvision",
    "eager_result",
    "export_detector",
    "preset",
    "save_detector",
    "sides_of",
    "torchvision_detector",
]


def export_detector(detector: nn.Module, size: tuple[int, int], dynamic: tuple[int, int] | None = None) -> ExportedProgram:
    """The program for pictures of one size, or, with `dynamic`, for sides from its first to its second number.

    Where the network takes fewer sizes, the program does; `sides_of` tells which. Raises ValueError where it takes only one.
    """

    def exported(sides: tuple[int, int] | None) -> ExportedProgram:
        side = None if sides is None else Dim.AUTO(min=sides[0], max=sides[1])
        shapes = None if sides is None else {"image": {2: side, 3: side}}
        with torch.no_grad():
            return torch.export.export(detector.eval(), (torch.rand(1, 3, *size),), dynamic_shapes=shapes, strict=False)

    program = exported(dynamic)
    if dynamic is None:
        return program
    sides = sides_of(program)
    if sides is None:
        raise ValueError(f"the network takes pictures of one size alone, or of few: leave dynamic sizes out, {size[0]} × {size[1]} can be exported")
    # What the program says of itself is to be what it takes.
    return program if sides == _sides_said(program) else exported(sides)


def sides_of(program: ExportedProgram) -> tuple[int, int] | None:
    """The shortest and the longest side that a program takes; None where it takes pictures of one size.

    The exporter's ranges leave out what its guards ask for besides, such as multiples of 32.
    """
    said = _sides_said(program)
    if said is None:
        return None
    height, width = program.example_inputs[0][0].shape[-2:]
    guards = getattr(program.module(), "_guards_fn", None)

    def taken(side: int) -> bool:
        return guards is None or all(_holds(guards, *sides) for sides in ((side, side), (side, width), (height, side)))

    low, high = min(height, width), max(height, width)
    if not all(map(taken, range(low, high + 1))):
        return None
    while low > said[0] and taken(low - 1):
        low -= 1
    while high < said[1] and taken(high + 1):
        high += 1
    return None if low == high else (low, high)


def _sides_said(program: ExportedProgram) -> tuple[int, int] | None:
    name = program.graph_signature.user_inputs[0]
    sides = next(node for node in program.graph.nodes if node.name == name).meta["val"].shape[-2:]
    if any(isinstance(side, int) for side in sides) or sides[0].node.expr == sides[1].node.expr:
        return None
    ranges = [program.range_constraints[side.node.expr] for side in sides]
    return max(int(each.lower) for each in ranges), min(int(each.upper) for each in ranges)


def _holds(guards: nn.Module, height: int, width: int) -> bool:
    try:
        guards(torch.empty(1, 3, 1, 1).expand(1, 3, height, width))
    except AssertionError:
        return False
    return True


def preset(image: dict[str, Any], labels: Sequence[str], keypoints: Sequence[str] = ()) -> dict[str, Any]:
    """What lies beside a program as JSON: how pictures become its input, and what the classes are called.

    `image` has `height` and `width`, or `shorterSide` and `longerSide`, and maybe `fit` and what else @pt2/vision knows.
    """
    found = {"version": 1, "task": "object-detection", "image": image, "labels": list(labels), "threshold": 0.5}
    return found | {"keypoints": list(keypoints)} if keypoints else found


def save_detector(program: ExportedProgram, path: pathlib.Path | str, beside: dict[str, Any]) -> None:
    """Writes X.pt2 and, beside it, the preset X.json."""
    torch.export.save(program, path)
    pathlib.Path(path).with_suffix(".json").write_text(json.dumps(beside, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a detection model of torchvision, or a folder that transformers saved")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the program, X.pt2; its preset lies beside it as X.json")
    parser.add_argument("--weights", help="DEFAULT, which is the default, or another name of torchvision's, none, or a file with a state dict")
    parser.add_argument("--size", type=int, nargs=2, metavar=("H", "W"), help="of the picture that the program takes")
    parser.add_argument("--labels", type=pathlib.Path, help="a file with a name of a class in each line")
    parser.add_argument("--dynamic", action="store_true", help="pictures of any size between a quarter and twice the usual")
    parser.add_argument("--check", action="store_true", help="compare with torchvision's or transformers' own code on pictures of noise")
    try:
        _export(parser.parse_args(arguments))
    except Refused as refused:
        print(f"{parser.prog}: {refused}", file=sys.stderr)
        return 1
    return 0


def _export(options: argparse.Namespace) -> None:
    output = _output(options)
    given = None if options.labels is None else _names(options.labels)
    loaded = _load(options)
    labels = loaded.labels if given is None else given
    if given is not None and len(given) != loaded.classes:
        raise Refused(f"{options.labels} has {len(given)} names, but the model {loaded.classes} classes; the background is one where it has one")
    program = _program(options, loaded)
    sides = sides_of(program)
    image: dict[str, Any] = {"height": loaded.size[0], "width": loaded.size[1]} | loaded.image
    if sides is not None:
        image = {"shorterSide": min(loaded.size), "longerSide": min(loaded.longest, sides[1])}
        image |= {key: value for key, value in loaded.image.items() if key not in ("fit", "fill")}
    save_detector(program, output, preset(image, labels, loaded.keypoints))
    takes = f"{loaded.size[0]} × {loaded.size[1]}" if sides is None else f"sides from {sides[0]} to {sides[1]}"
    print(f"{output}: {output.stat().st_size / 1e6:.1f} MB, pictures of {takes}; {output.with_suffix('.json').name} lies beside it")
    if not labels:
        print(f"nothing names its {loaded.classes} classes: --labels FILE does")
    if options.check:
        _check(program, loaded)


def _output(options: argparse.Namespace) -> pathlib.Path:
    output = options.output or pathlib.Path(f"{pathlib.Path(options.model).resolve().name}.pt2")
    if output.suffix != ".pt2":
        raise Refused(f"{output} does not end in .pt2")
    if not output.parent.is_dir():
        raise Refused(f"{output.parent}, where {output.name} is to be written, is no folder")
    return output


def _names(file: pathlib.Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"the names of the classes cannot be read: {error}") from error


def _load(options: argparse.Namespace) -> Loaded:
    size = None if options.size is None else tuple(options.size)
    if size is not None and min(size) < 1:
        raise Refused(f"a picture of {size[0]} × {size[1]} has no pixels")
    folder = pathlib.Path(options.model)
    if not folder.is_dir():
        return load_torchvision(options.model, options.weights or "DEFAULT", size)
    if options.weights is not None:
        raise Refused(f"{folder} has weights of its own; --weights is for models of torchvision")
    return load_transformers(folder, size)


def _program(options: argparse.Namespace, loaded: Loaded) -> ExportedProgram:
    height, width = loaded.size
    usual = (min(loaded.size), max(loaded.size))
    dynamic = (max(64, usual[0] // 4), max(2 * usual[1], loaded.longest)) if options.dynamic else None
    try:
        return export_detector(loaded.detector, loaded.size, dynamic)
    except Exception as error:  # Networks and the exporter refuse sizes in many ways.
        sizes = "any size" if options.dynamic else f"{height} × {width}"
        raise Refused(f"{options.model} cannot be exported for pictures of {sizes}: {first_line(error)}") from error


def _check(program: ExportedProgram, loaded: Loaded) -> None:
    (height, width), sides = loaded.size, sides_of(program)
    # Another size than that of the export, where the program takes any.
    other = (height, width) if sides is None else tuple(min(max(side, sides[0]), sides[1]) for side in (height * 4 // 5, width * 6 // 5))
    soft = torch.nn.functional.interpolate(torch.rand(1, 3, 9, 11), (height, width), mode="bicubic").clamp(0, 1)
    try:
        counts = loaded.check(program.module(), [soft, torch.rand(1, 3, *other)])
    except Undecided:
        raise Refused(
            "--check cannot tell: boxes have equal scores, so any of them may suppress the others; trained weights do not do that"
        ) from None
    except AssertionError as error:
        raise Refused(f"--check found a difference: {' '.join(str(error).split())}") from error
    print(f"as the original code: {' and '.join(map(str, counts))} boxes in 2 pictures of noise")


if __name__ == "__main__":
    sys.exit(main())
