"""Trains a small convolutional network on scikit-learn's handwritten digits and exports it: `python train.py`.

Writes beside itself: `digits.pt2` (gray pixels from 0 to 1, [batch, 1, 8, 8], to logits [batch, 10]; the batch is
dynamic), `held-out.safetensors` (`images` uint8 [n, 8, 8], `labels` uint8 [n], PyTorch's `logits` [n, 10]; none of the
images was trained on) and twenty of those as 8-bit gray PNG files, `images/NN_LABEL.png`, enlarged to 32 by 32. Writes
nothing when fewer than 98 % of the held-out images are recognized.
"""

import pathlib
import sys

import torch
import torch.nn.functional as F
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.export import Dim

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../../scripts/python"))

from pt2files import make_portable  # noqa: E402
from tensor_files import save_tensors  # noqa: E402

EPOCHS, BATCH, ENLARGE = 40, 64, 4


class Digits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(self._block(1, 16), self._block(16, 32), nn.MaxPool2d(2), self._block(32, 48), nn.MaxPool2d(2))
        self.classifier = nn.Linear(48 * 2 * 2, 10)

    @staticmethod
    def _block(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(image).flatten(1))


def pixels(images: torch.Tensor) -> torch.Tensor:
    """uint8 [n, 8, 8] to what the network takes."""
    return images.unsqueeze(1).float() / 255


def shifted(batch: torch.Tensor) -> torch.Tensor:
    """Each training batch is moved by at most one pixel, so that the position does not matter."""
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    return torch.roll(F.pad(batch, [1] * 4), (dy, dx), (2, 3))[..., 1:-1, 1:-1]


def train(images: torch.Tensor, labels: torch.Tensor) -> Digits:
    network = Digits().train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=4e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, epochs=EPOCHS, steps_per_epoch=-(-len(images) // BATCH))
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(images)).split(BATCH):
            loss = F.cross_entropy(network(shifted(pixels(images[chosen]))), labels[chosen], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network.eval()


def save_pictures(images: torch.Tensor, labels: torch.Tensor) -> None:
    """The first two held-out images of each digit, as they come."""
    folder = HERE / "images"
    folder.mkdir(exist_ok=True)
    chosen = sorted(i for digit in range(10) for i in (labels == digit).nonzero().flatten()[:2].tolist())
    for number, i in enumerate(chosen):
        picture = Image.fromarray(images[i].numpy()).resize((8 * ENLARGE, 8 * ENLARGE), Image.Resampling.NEAREST)
        picture.save(folder / f"{number:02}_{labels[i]}.png", optimize=True)


def main() -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)
    data = load_digits()
    gray = torch.from_numpy(data.images * 255 / 16).round().to(torch.uint8)
    labels = torch.from_numpy(data.target).long()
    fit, held = train_test_split(torch.arange(len(gray)).numpy(), test_size=0.2, stratify=labels.numpy(), random_state=7)
    network = train(gray[fit], labels[fit])
    with torch.no_grad():
        logits = network(pixels(gray[held]))
    accuracy = (logits.argmax(1) == labels[held]).float().mean().item()
    print(f"{accuracy:.2%} of {len(held)} held-out images recognized")
    if accuracy < 0.98:
        sys.exit("below 98 %: nothing was written")
    program = torch.export.export(network, (pixels(gray[held[:2]]),), dynamic_shapes={"image": {0: Dim("batch", min=1, max=1024)}})
    torch.export.save(make_portable(program), HERE / "digits.pt2")
    save_tensors(str(HERE / "held-out.safetensors"), {"images": gray[held], "labels": labels[held].to(torch.uint8), "logits": logits})
    save_pictures(gray[held], labels[held])
    print(f"digits.pt2: {(HERE / 'digits.pt2').stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
