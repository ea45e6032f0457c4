"""Makes the programs of `pnpm bench:sizes`, with random weights, as `.pt2` and as `.onnx`: python bench_sizes.py FOLDER [NAME ...].

Each has one size that changes from call to call: the length of a decoder's cache, of a text, the side of a picture.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.export import Dim

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
from transformers import BertConfig, BertModel, DynamicCache, LlamaConfig, LlamaForCausalLM

from onnx_files import export_onnx
from pt2files import Call


class DecoderStep(nn.Module):
    """One new token after a cache: logits, and the cache that has grown by one."""

    def __init__(self, config: LlamaConfig):
        super().__init__()
        self.model = LlamaForCausalLM(config)

    def forward(self, token, keys, values):
        cache = DynamicCache(ddp_cache_data=list(zip(keys, values, strict=True)))
        logits = self.model(input_ids=token, past_key_values=cache, use_cache=True).logits
        return logits, [layer.keys for layer in cache.layers], [layer.values for layer in cache.layers]


def decoder(config: LlamaConfig):
    """A Llama decoder whose cache has any length."""
    head = config.hidden_size // config.num_attention_heads
    cache = [torch.randn(1, config.num_key_value_heads, 6, head) for _ in range(config.num_hidden_layers)]
    length = {2: Dim.AUTO}
    shapes = ({}, [length] * len(cache), [length] * len(cache))
    return DecoderStep(config), (torch.tensor([[3]]), cache, [k.clone() for k in cache]), shapes


def llama(**sizes) -> LlamaConfig:
    return LlamaConfig(max_position_embeddings=2048, attn_implementation="sdpa", **sizes)


SMALL_DECODER = llama(
    vocab_size=2048,
    hidden_size=192,
    intermediate_size=512,
    num_hidden_layers=6,
    num_attention_heads=6,
    num_key_value_heads=2,
)

# The sizes of SmolLM-135M.
LLAMA_135M = llama(
    vocab_size=49152,
    hidden_size=576,
    intermediate_size=1536,
    num_hidden_layers=30,
    num_attention_heads=9,
    num_key_value_heads=3,
    tie_word_embeddings=True,
)


class Encoder(nn.Module):
    """A text of any length."""

    def __init__(self):
        super().__init__()
        config = BertConfig(
            vocab_size=8192,
            hidden_size=256,
            num_hidden_layers=6,
            num_attention_heads=4,
            intermediate_size=1024,
            attn_implementation="sdpa",
        )
        self.model = BertModel(config)

    def forward(self, tokens):
        return self.model(input_ids=tokens).last_hidden_state


def encoder():
    return Encoder(), (torch.randint(0, 8192, (1, 12)),), ({1: Dim("length", min=2, max=512)},)


class Block(nn.Module):
    """Two convolutions around which a shortcut leads."""

    def __init__(self, ins: int, outs: int, stride: int):
        super().__init__()
        self.first = nn.Conv2d(ins, outs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outs)
        self.second = nn.Conv2d(outs, outs, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outs)
        self.shortcut = nn.Conv2d(ins, outs, 1, stride)

    def forward(self, x):
        y = self.second_norm(self.second(self.first_norm(self.first(x)).relu()))
        return (y + self.shortcut(x)).relu()


def pictures():
    """A residual network for pictures of any height and width."""
    widths = [32, 64, 128, 256]
    blocks = [Block(a, b, 2) for a, b in zip([3, *widths], widths, strict=False)]
    model = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], 100))
    sides = {2: 16 * Dim("height", min=2, max=40), 3: 16 * Dim("width", min=2, max=40)}
    return model, (torch.randn(1, 3, 96, 128),), (sides,)


MODELS = {
    "decoder": lambda: decoder(SMALL_DECODER),
    "encoder": encoder,
    "pictures": pictures,
    "llama135m": lambda: decoder(LLAMA_135M),
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        torch.manual_seed(0)
        module, inputs, shapes = MODELS[name]()
        with torch.no_grad():
            program = torch.export.export(module.eval(), inputs, dynamic_shapes=shapes)
        torch.export.save(program, folder / f"{name}.pt2")
        export_onnx(program, Call(inputs), folder, name)
        print(f"{name}: {len(program.graph.nodes)} nodes")
