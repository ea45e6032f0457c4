"""Compares exported detectors with the code that they stand for.

Two comparisons, so that rounding decides nothing: what was rewritten with the original, both in float64, where two scores are
hardly ever too close to tell; and the program with what was rewritten, which are the same calls in float32.
"""

import copy
import inspect
from collections.abc import Sequence
from typing import Any

import torch
from exportable_detectors import Detections, Detector, TransformersDetector
from torch import Tensor, nn
from torch.nn import functional as F
from torchvision.models import detection

EQUAL = 1e-12
"""Scores that differ by less are equal, up to the rounding of float64."""


class Undecided(Exception):
    """Scores are equal, so it is not decided which of several boxes suppresses the others."""


def without_resizing(model: nn.Module, size: tuple[int, int]) -> nn.Module:
    """A copy of a model of torchvision that takes pictures of one size as they are."""
    model = copy.deepcopy(model).eval()
    transform = model.transform
    if transform.fixed_size is not None:
        transform.fixed_size = size[::-1]
    transform.min_size, transform.max_size = (min(size),), max(size)
    return model


def eager_result(model: nn.Module, image: Tensor) -> Detections:
    """What torchvision's own code finds in a picture [1, 3, H, W], which it is told not to resize."""
    with torch.no_grad():
        return without_resizing(model, tuple(image.shape[-2:]))([image[0]])[0]


def check_torchvision(model: nn.Module, detector: Detector, program: nn.Module, images: Sequence[Tensor]) -> list[int]:
    """Compares a program of `detector` with torchvision's own code; returns how many boxes of each picture were compared.

    The threshold of the scores is lowered for the first comparison to the better half of all boxes: in a picture of noise a
    trained detector finds nothing. Raises AssertionError at a difference, Undecided where scores are equal.
    """
    model, exact = copy.deepcopy(model).double(), copy.deepcopy(detector).double()
    transform = model.transform
    # torchvision normalizes with these numbers in the dtype of the picture.
    exact.mean, exact.std = (torch.tensor(values, dtype=torch.float64).reshape(3, 1, 1) for values in (transform.image_mean, transform.image_std))
    counts = []
    for image in images:
        _owner(model).score_thresh = 0.0
        expected = eager_result(model, image.double())
        least = _middle(expected["scores"])
        expected = {name: value[expected["scores"] > least] for name, value in expected.items()}
        _owner(exact.model).score_thresh = least
        with torch.no_grad():
            found, rewritten, exported = exact(image.double()), detector(image), dict(program(image))
        if "masks" in found:
            found["masks"] = detection.roi_heads.paste_masks_in_image(found["masks"], found["boxes"], tuple(image.shape[-2:]))
        _compare(found, expected)
        _compare(exported, rewritten)
        counts.append(len(expected["scores"]))
    return counts


def check_transformers(detector: TransformersDetector, processor: Any, program: nn.Module, images: Sequence[Tensor]) -> list[int]:
    """Compares a program of `detector` with what the image processor of transformers makes of the model's results."""
    exact, counts = copy.deepcopy(detector).double(), []
    finish = processor.post_process_object_detection
    every = {"top_k": 10**6} if "top_k" in inspect.signature(finish).parameters else {}
    for image in images:
        with torch.no_grad():
            output = exact.model(pixel_values=(image.double() - exact.mean) / exact.std)
            expected = finish(output, threshold=-1.0, target_sizes=[tuple(image.shape[-2:])], **every)[0]
            found, rewritten, exported = exact(image.double()), detector(image), dict(program(image))
        order = expected["scores"].sort(descending=True, stable=True).indices[: len(found["scores"])]
        _compare(found, {name: value[order] for name, value in expected.items()})
        _compare(exported, rewritten)
        counts.append(len(order))
    return counts


def _owner(model: nn.Module) -> Any:
    """What has the thresholds of a model."""
    return getattr(model, "roi_heads", model)


def _middle(scores: Tensor) -> float:
    """A threshold between two scores, of those in descending order, that the better half or little more exceeds; 0 without any."""
    for after in range(len(scores) // 2, len(scores)):
        if after > 0 and scores[after - 1] - scores[after] > EQUAL:
            return scores[after - 1 : after + 1].mean().item()
    return 0.0


def _compare(found: Detections, expected: Detections) -> None:
    """Raises AssertionError at a difference; boxes of equal scores may be in another order."""
    try:
        for name, value in _ordered(expected).items():
            tolerance = {"rtol": 1e-4, "atol": 1e-3 if name in ("boxes", "keypoints") else 1e-4}
            # torchvision gives keypoints as float32, whatever the model computes with.
            torch.testing.assert_close(_ordered(found)[name], value, **tolerance, check_dtype=False, msg=lambda text, name=name: f"{name}: {text}")
    except AssertionError as error:
        # Which of them is suppressed may be another one too.
        if (-expected["scores"].diff() <= EQUAL).any():
            raise Undecided from error
        raise


def _ordered(found: Detections) -> Detections:
    """Boxes of equal scores by class and place."""
    scores, places = found["scores"], found["boxes"].round(decimals=2).tolist()
    ties = F.pad((-scores.diff() > EQUAL).cumsum(0), (1, 0)) if len(scores) > 0 else scores
    keys = list(zip(ties.tolist(), found["labels"].tolist(), places, strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return {name: value[order] for name, value in found.items()}
