"""Detectors as the command line names them: models of torchvision with weights, and folders that transformers saved."""

import argparse
import pathlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
import torchvision
from check_detectors import check_torchvision, check_transformers
from exportable_detectors import TransformersDetector, torchvision_detector
from torch import Tensor, nn
from torchvision.models import detection

Size = tuple[int, int]


class Refused(Exception):
    """What a user gave does not fit; the message is one sentence that says why."""


@dataclass
class Loaded:
    """A detector, and what is known of its pictures and classes."""

    detector: nn.Module
    size: Size
    """Height and width of the pictures that it is exported for."""
    longest: int
    """The longer side of a picture whose shorter side is that of `size` may have this length."""
    image: dict[str, Any]
    """How a picture gets that size, in the words of the preset."""
    labels: list[str]
    """The names of the classes; empty where nothing tells them."""
    classes: int
    check: Callable[[nn.Module, Sequence[Tensor]], list[int]]
    """Compares a program with the code that the detector stands for, see check_detectors."""
    keypoints: list[str] = field(default_factory=list)


def torchvision_names() -> list[str]:
    """The models that `load_torchvision` knows."""
    return torchvision.models.list_models(module=detection)


def load_torchvision(name: str, weights: str, size: Size | None) -> Loaded:
    """A model of torchvision with weights of torchvision (`DEFAULT`, …), random ones (`none`), or those of a file."""
    if name not in torchvision_names():
        raise Refused(f"{name} is neither a folder nor a detection model of torchvision, which are {', '.join(torchvision_names())}")
    known = torchvision.models.get_model_weights(name)
    labels, keypoints = known.DEFAULT.meta["categories"], known.DEFAULT.meta.get("keypoint_names", [])
    if weights in known.__members__:
        try:
            model = torchvision.models.get_model(name, weights=known[weights])
        except OSError as error:
            raise Refused(f"{known[weights].url} cannot be downloaded: {first_line(error)}; --weights takes a file too, or none") from error
    elif weights == "none":
        model = torchvision.models.get_model(name, weights=None, weights_backbone=None)
        with _taking(name, size):
            measure_normalizations(model, size or (320, 320))
    else:
        model = _with_state(name, weights, known)
    model = model.eval()
    transform, classes = model.transform, counts_of(model.state_dict())
    if classes["num_classes"] != len(labels):
        labels = []
    if classes.get("num_keypoints", 0) != len(keypoints):
        keypoints = []
    shortest = transform.min_size[-1]
    image: dict[str, Any] = {"fit": "stretch"}
    if transform.fixed_size is None:
        # torchvision fills with zeros after normalizing: with the mean.
        image = {"fit": "letterbox", "fill": round(sum(transform.image_mean) / 3, 3)}
        size = size or (shortest, shortest)
    else:
        size = size or (transform.fixed_size[1], transform.fixed_size[0])
    with _taking(name, size):
        detector = torchvision_detector(model, size)
    longest = 2 * min(size) if transform.fixed_size is not None else min(size) * transform.max_size // shortest
    image |= {"antialias": False}
    check = partial(check_torchvision, model, detector)
    return Loaded(detector, size, longest, image, list(labels), classes["num_classes"], check, list(keypoints))


@contextmanager
def _taking(name: str, size: Size | None) -> Iterator[None]:
    """Layers are the ones that tell which pictures are too small for them."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if size is None:
            raise
        raise Refused(f"{name} does not take pictures of {size[0]} × {size[1]}: {first_line(error)}") from error


def measure_normalizations(model: nn.Module, size: Size) -> None:
    """Gives the normalizations of an untrained network the statistics of noise.

    Without them the signal dies on its way or explodes, all boxes have the same score, and which are chosen is up to rounding.
    """
    norms = [module for name, module in model.named_modules() if isinstance(module, nn.BatchNorm2d) and "roi_heads" not in name]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.momentum = None  # The average over all that it has seen.
    model.eval()
    for norm in norms:
        norm.train()
    with torch.no_grad():
        features = model.backbone(torch.randn(2, 3, *size))
        maps = [features] if isinstance(features, Tensor) else list(features.values())
        (model.rpn.head if hasattr(model, "rpn") else model.head)(maps)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.eval().momentum = momentum


def _with_state(name: str, file: str, known: Any) -> nn.Module:
    """The model for the classes that a file has weights for, with these weights."""
    if not pathlib.Path(file).is_file():
        raise Refused(f"{file} is neither a file nor among the weights of {name}, which are {', '.join(known.__members__)} and none")
    state = read_state(pathlib.Path(file))
    try:
        model = torchvision.models.get_model(name, weights=None, weights_backbone=None, **counts_of(state))
        missing, unknown = model.load_state_dict(state, strict=False)
    except (RuntimeError, TypeError, ValueError) as error:
        lines = str(error).splitlines()
        raise Refused(f"{file} does not fit {name}: {(lines[1:] or lines)[0].strip()}") from error
    wrong = [f"{len(keys)} {what} ({keys[0]}, …)" for what, keys in (("missing", missing), ("unknown", unknown)) if keys]
    if wrong:
        raise Refused(f"{file} does not fit {name}: of its weights {' and '.join(wrong)}")
    return model


def read_state(file: pathlib.Path) -> dict[str, Tensor]:
    """The state dict of a file of safetensors or `torch.save`; that of a checkpoint lies under `model` or `state_dict`."""
    try:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            state = load_file(file)
        else:
            # Scripts of torchvision keep their arguments in checkpoints.
            with torch.serialization.safe_globals([argparse.Namespace]):
                state = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise Refused(f"{file} holds something else than tensors: save a state dict, torch.save(model.state_dict(), …)") from error
    except Exception as error:  # Each format has errors of its own.
        raise Refused(f"{file} cannot be read: {first_line(error)}") from error
    for key in ("model", "state_dict"):
        if isinstance(state, dict) and isinstance(state.get(key), dict):
            state = state[key]
    if not isinstance(state, dict) or not state or not all(isinstance(value, Tensor) for value in state.values()):
        raise Refused(f"{file} holds no state dict: save one, torch.save(model.state_dict(), …)")
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")  # DistributedDataParallel
    return state


def counts_of(state: dict[str, Tensor]) -> dict[str, int]:
    """How many classes, and keypoints, the weights of a detector are for: what its builder is told."""
    if "roi_heads.box_predictor.cls_score.weight" in state:
        counts = {"num_classes": len(state["roi_heads.box_predictor.cls_score.weight"])}
        points = state.get("roi_heads.keypoint_predictor.kps_score_lowres.weight")
        return counts if points is None else counts | {"num_keypoints": points.shape[1]}

    def rows(head: str) -> int:
        """Of the layer that says most: the last one of a head, at the first level of SSD."""
        keys = [key for key in state if key.startswith(f"head.{head}_head.") and key.endswith(".weight") and state[key].ndim == 4]
        level = [key for key in keys if ".module_list." not in key or ".module_list.0." in key]
        final = [key for key in level if key.rsplit(".", 2)[-2] in ("cls_logits", "bbox_reg")] or level
        return len(state[final[-1]])

    try:
        return {"num_classes": rows("classification") * 4 // rows("regression")}
    except IndexError:
        raise ValueError("it has no layer that tells classes apart") from None


def load_transformers(folder: pathlib.Path, size: Size | None) -> Loaded:
    """The detector of a folder that transformers saved."""
    if not (folder / "config.json").is_file():
        raise Refused(f"{folder} has no config.json: save_pretrained of transformers writes such folders")
    try:
        from transformers import AutoModelForObjectDetection, logging
    except ImportError as error:
        raise Refused(f"{folder} is a folder of transformers, which cannot be imported: {first_line(error)}") from error
    logging.set_verbosity_error()  # What it would warn of is refused.
    logging.disable_progress_bar()
    options = {"attn_implementation": "eager", "output_loading_info": True, "ignore_mismatched_sizes": True, "local_files_only": True}
    try:
        model, report = AutoModelForObjectDetection.from_pretrained(folder, **options)
    except Exception as error:  # Whatever is wrong with a folder, and wherever it was noticed.
        raise Refused(f"{folder} holds no detector that transformers can load: {first_line(error)}") from error
    wrong = sorted([*report["missing_keys"], *(key for key, *_shapes in report["mismatched_keys"])])
    if wrong:
        raise Refused(f"{folder} has no weights, or weights of another shape, for {len(wrong)} tensors of {type(model).__name__} ({wrong[0]}, …)")
    processor = _processor(folder)
    wanted = processor.to_dict()
    sides = wanted["size"]
    kept = "shortest_edge" in sides and sides["shortest_edge"] is not None
    side = sides["shortest_edge"] if kept else None
    size = size or ((side, side) if kept else (sides["height"], sides["width"]))
    mean, std = (wanted["image_mean"], wanted["image_std"]) if wanted.get("do_normalize") else (None, None)
    image = {"fit": "letterbox", "fill": round(sum(mean) / 3, 3) if mean else 0} if kept else {"fit": "stretch"}
    if wanted.get("resample") == 3:
        image["interpolation"] = "bicubic"
    longest = min(size) * (sides.get("longest_edge") or 2 * side) // side if kept else 2 * min(size)
    labels = [name for _, name in sorted(model.config.id2label.items())]
    detector = TransformersDetector(model.eval(), mean, std)
    return Loaded(detector, size, longest, image, labels, len(labels), partial(check_transformers, detector, processor))


def _processor(folder: pathlib.Path) -> Any:
    """What transformers does with pictures before a model, and with boxes after it."""
    from transformers import AutoImageProcessor

    try:
        return AutoImageProcessor.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # As for the model.
        wanted = "AutoImageProcessor.from_pretrained(…).save_pretrained(…) puts it there"
        raise Refused(f"{folder} does not say how pictures are prepared, in a preprocessor_config.json: {wanted}") from error


def first_line(error: BaseException) -> str:
    """The first line of a message, or what kind of error it is."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
