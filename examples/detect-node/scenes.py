"""Draws scenes to detect things in: handwritten digits and colored shapes on gradients, noise, panels and photographs.

What is drawn comes from scikit-learn's package: 8 by 8 pixels of each handwritten digit, and two photographs. Boxes are
those of the pixels that have ink, `x1, y1, x2, y2` in pixels of the scene.
"""

import math
import random
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SHAPES = ("circle", "square", "triangle", "star", "heart")
LABELS = (*map(str, range(10)), *SHAPES)
GRAY = 0.5


@dataclass
class Scene:
    """A picture, float32 [height, width, 3] from 0 to 1, and what is in it."""

    pixels: np.ndarray
    boxes: list[tuple[int, int, int, int]]
    labels: list[int]


def _cropped(alpha: np.ndarray) -> np.ndarray:
    rows, columns = np.flatnonzero((alpha > 0.25).any(1)), np.flatnonzero((alpha > 0.25).any(0))
    return alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _resized(image: Image.Image, size: float) -> np.ndarray:
    """The ink of `image`, its longer side `size` pixels long."""
    ink = _cropped(np.asarray(image, np.float32) / 255)
    scale = size / max(ink.shape)
    shape = (max(2, round(ink.shape[1] * scale)), max(2, round(ink.shape[0] * scale)))
    return np.asarray(Image.fromarray((ink * 255).astype(np.uint8)).resize(shape, Image.Resampling.BOX), np.float32) / 255


def digit_ink(digit: np.ndarray, size: float, rng: random.Random) -> np.ndarray:
    """Strokes of an 8 by 8 digit, enlarged, slanted and turned, with edges that are sharp or soft."""
    large = Image.fromarray((np.pad(digit, 3) * 255 / 16).astype(np.uint8)).resize((224, 224), Image.Resampling.BICUBIC)
    angle, slant, wide = math.radians(rng.gauss(0, 9)), rng.gauss(0, 0.12), rng.uniform(0.85, 1.2)
    a, b, c, d = math.cos(angle) * wide, math.sin(angle) + slant, -math.sin(angle), math.cos(angle)
    matrix = (a, b, 112 * (1 - a - b), c, d, 112 * (1 - c - d))
    turned = np.asarray(large.transform((224, 224), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR), np.float32) / 255
    ink = np.clip((turned - rng.uniform(0.38, 0.6)) * rng.uniform(2.5, 9) + 0.5, 0, 1)
    return _resized(Image.fromarray((ink * 255).astype(np.uint8)), size)


def _corners(shape: str) -> list[tuple[float, float]]:
    """Corners around the origin, within a circle of radius 1."""
    if shape == "heart":
        turns = [i / 60 * math.tau for i in range(60)]
        return [(math.sin(t) ** 3, -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 17) for t in turns]
    count = {"circle": 90, "square": 4, "triangle": 3, "star": 10}[shape]
    first = {"square": 1 / 8}.get(shape, 0)
    radii = [0.45 if shape == "star" and i % 2 else 1 for i in range(count)]
    turns = [(i / count + first) * math.tau for i in range(count)]
    return [(r * math.sin(t), -r * math.cos(t)) for r, t in zip(radii, turns, strict=True)]


def shape_ink(shape: str, size: float, rng: random.Random) -> np.ndarray:
    """A filled shape, a little turned and stretched."""
    angle, wide = math.radians(rng.gauss(0, 12)), rng.uniform(0.85, 1.15)
    cos, sin = math.cos(angle), math.sin(angle)
    points = [(x * wide, y) for x, y in _corners(shape)]
    image = Image.new("L", (320, 320))
    ImageDraw.Draw(image).polygon([(160 + 120 * (x * cos - y * sin), 160 + 120 * (x * sin + y * cos)) for x, y in points], fill=255)
    return _resized(image, size)


def _color(rng: random.Random) -> np.ndarray:
    return np.array([rng.random() for _ in range(3)], np.float32)


def _luminance(color: np.ndarray) -> float:
    return float(color @ np.array([0.299, 0.587, 0.114], np.float32))


def _ink_color(behind: np.ndarray, rng: random.Random) -> np.ndarray:
    """A color that stands out against the pixels behind: black or white often, as ink and chalk are."""
    background, least = _luminance(behind.reshape(-1, 3).mean(0)), 0.28
    while True:
        kind = rng.random()
        color = np.full(3, rng.uniform(0, 0.15) if kind < 0.3 else rng.uniform(0.88, 1), np.float32) if kind < 0.5 else _color(rng)
        if abs(_luminance(color) - background) >= least:
            return color
        least *= 0.97


def background(width: int, height: int, photos: list[Image.Image], rng: random.Random, noise: np.random.Generator) -> np.ndarray:
    """A gradient, a blotched texture, panels as of paper and desks, or a part of a photograph."""
    kind = rng.random()
    if kind < 0.3:
        photo = rng.choice(photos)
        side = rng.uniform(0.35, 1) * min(photo.width / width, photo.height / height)
        left, top = rng.uniform(0, photo.width - side * width), rng.uniform(0, photo.height - side * height)
        box = (left, top, left + side * width, top + side * height)
        image = photo.resize((width, height), Image.Resampling.BILINEAR, box)
        return np.asarray(image, np.float32) / 255 * rng.uniform(0.6, 1) + rng.uniform(0, 0.15)
    first, second = _color(rng), _color(rng)
    rows, columns = np.linspace(0, 1, height, dtype=np.float32)[:, None], np.linspace(0, 1, width, dtype=np.float32)
    slope = rng.random()
    way = (rows * slope + columns * (1 - slope))[..., None]
    base = first + (second - first) * way * rng.uniform(0.1, 1)
    if kind < 0.55:
        cells = rng.choice([4, 8, 16, 32])
        coarse = Image.fromarray(noise.integers(0, 256, (cells, cells, 3), np.uint8))
        base = base + (np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), np.float32) / 255 - 0.5) * rng.uniform(0.1, 0.5)
    elif kind < 0.8:
        image = Image.fromarray((base * 255).astype(np.uint8))
        draw, unit = ImageDraw.Draw(image), max(width, height)
        for _ in range(rng.randint(1, 3)):
            x, y = rng.uniform(-0.5, 0.7) * unit, rng.uniform(-0.5, 0.7) * unit
            panel = (x, y, x + rng.uniform(0.6, 1.5) * unit, y + rng.uniform(0.6, 1.5) * unit)
            color = tuple((255 * (np.full(3, rng.uniform(0.75, 1)) if rng.random() < 0.5 else _color(rng))).astype(int))
            draw.rectangle(panel, fill=color)
            for at in range(rng.choice([0, 0, 0, 8])):
                draw.line((x, y + at * unit / 8, panel[2], y + at * unit / 8), fill=tuple(int(0.7 * c) for c in color))
        base = np.asarray(image, np.float32) / 255
    return np.clip(base, 0, 1)


def _touch(one: tuple[int, int, int, int], other: tuple[int, int, int, int], gap: int) -> bool:
    """Whether less than `gap` pixels are between two boxes."""
    return all(one[side] < other[side + 2] + gap and other[side] < one[side + 2] + gap for side in (0, 1))


class Painter:
    """Draws scenes from digits of its own. The inks that training mixes anew all the time are made once."""

    def __init__(self, digits: np.ndarray, values: np.ndarray, photos: list[Image.Image], seed: int, pool: int = 0) -> None:
        self._digits, self._values, self._photos = digits, values, photos
        self._rng, self._noise = random.Random(seed), np.random.default_rng(seed)
        self._pool = [self._ink(math.exp(self._rng.uniform(math.log(17), math.log(76)))) for _ in range(pool)]
        self._backgrounds = [background(256, 256, photos, self._rng, self._noise) for _ in range(pool // 6)]

    def _ink(self, size: float) -> tuple[int, np.ndarray]:
        if self._rng.random() < 0.68:
            at = self._rng.randrange(len(self._digits))
            return int(self._values[at]), digit_ink(self._digits[at], size, self._rng)
        kind = self._rng.randrange(len(SHAPES))
        return 10 + kind, shape_ink(SHAPES[kind], size, self._rng)

    def _empty(self, width: int, height: int) -> np.ndarray:
        if not self._backgrounds:
            return background(width, height, self._photos, self._rng, self._noise).copy()
        chosen = self._rng.choice(self._backgrounds)
        top, left = self._rng.randint(0, 256 - height), self._rng.randint(0, 256 - width)
        part = chosen[top : top + height, left : left + width]
        return (part[:, ::-1] if self._rng.random() < 0.5 else part) * self._rng.uniform(0.75, 1.1)

    def draw(self, width: int, height: int, unit: float = 1, least: int = 0, most: int = 9) -> Scene:
        """A scene of `least` to `most` things, fewer where there is no space for them, each 17 to 76 times `unit` pixels large."""
        rng, pixels = self._rng, self._empty(width, height)
        boxes: list[tuple[int, int, int, int]] = []
        labels: list[int] = []
        for _ in range(rng.randint(least, most)):
            label, ink = rng.choice(self._pool) if self._pool else self._ink(unit * math.exp(rng.uniform(math.log(22), math.log(70))))
            high, wide = ink.shape
            for _ in range(20):
                x, y = rng.randint(0, max(0, width - wide)), rng.randint(0, max(0, height - high))
                box, gap = (x, y, x + wide, y + high), round(2 * unit)
                if box[2] > width or box[3] > height or any(_touch(box, other, gap) for other in boxes):
                    continue
                behind = pixels[y : y + high, x : x + wide]
                shade = np.linspace(1, rng.uniform(0.8, 1.15), high, dtype=np.float32)[:, None, None]
                behind += (np.clip(_ink_color(behind, rng) * shade, 0, 1) - behind) * (ink * rng.uniform(0.85, 1))[..., None]
                boxes.append(box)
                labels.append(label)
                break
        return Scene(np.clip(pixels, 0, 1), boxes, labels)

    def training_scene(self, side: int) -> Scene:
        """A square as the detector sees it: some with the gray bars of other formats, out of focus, dim, or noisy."""
        rng = self._rng
        bars = rng.random() < 0.4
        short = rng.randint(side * 9 // 16, side) if bars else side
        width, height = (side, short) if rng.random() < 0.5 else (short, side)
        scene = self.draw(width, height)
        pixels = scene.pixels
        if rng.random() < 0.3:
            image = Image.fromarray((pixels * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.1)))
            pixels = np.asarray(image, np.float32) / 255
        if rng.random() < 0.5:
            pixels = (pixels - 0.5) * rng.uniform(0.6, 1.1) + 0.5 + rng.uniform(-0.12, 0.12)
        if rng.random() < 0.5:
            pixels = pixels + self._noise.standard_normal(pixels.shape, np.float32) * rng.uniform(0.005, 0.06)
        square = np.full((side, side, 3), GRAY, np.float32)
        left, top = (side - width) // 2, (side - height) // 2
        square[top : top + height, left : left + width] = np.clip(pixels, 0, 1)
        boxes = [(x1 + left, y1 + top, x2 + left, y2 + top) for x1, y1, x2, y2 in scene.boxes]
        return Scene(square, boxes, scene.labels)
