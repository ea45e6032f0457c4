"""Exports all-MiniLM-L6-v2 with a layer that tells two classes apart: `python export_classifier.py`.

Tokens to logits, [batch, sequence] to [batch, 2]. The encoder is the one of `examples/search`, with its weights; the
layer above it is new. `model` beside this file gets `classifier.pt2` and the tokenizer's files.
"""

import os
import pathlib
import shutil
import sys

import torch
from torch.export import Dim

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "../search"))

from export_model import SentenceEncoder, load_encoder, make_portable, model_folder, tokens  # noqa: E402

CLASSES = 2


class Classifier(torch.nn.Module):
    def __init__(self, encoder: SentenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.classifier = torch.nn.Linear(encoder.bert.config.hidden_size, CLASSES)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.encoder(input_ids, attention_mask))


def main() -> None:
    torch.manual_seed(0)
    out = HERE / "model"
    out.mkdir(exist_ok=True)
    dims = {0: Dim("batch", min=1, max=256), 1: Dim("sequence", min=2, max=512)}
    call = tokens(("A text.", "Another one, which is longer."))
    shapes = {"input_ids": dims, "attention_mask": dims}
    program = torch.export.export(Classifier(load_encoder()).eval(), (), call.kwargs, dynamic_shapes=shapes)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(model_folder() / name, out / name)
    # Last and at once, so that a model that is there is complete.
    written = out / f"classifier-{os.getpid()}.pt2"
    torch.export.save(make_portable(program), written)
    written.replace(out / "classifier.pt2")
    print(f"{out / 'classifier.pt2'}: {(out / 'classifier.pt2').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
