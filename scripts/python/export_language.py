"""Writes tests/fixtures/language: small language models as the exporters of transformers write them.

    python scripts/python/export_language.py [OUT]      (needs transformers 5 beside torch)

`rhyme` has learned a rhyme by heart, letter by letter; the others have random weights. `expected.json` has what `generate` of
transformers makes of each model, with the settings of each text.
"""

import copy
import json
import os
import shutil
import sys
import warnings
from typing import Any

import torch

from export_static_cache import without_torchvision_ops
from pt2files import without_traces

FOLDER = os.path.join(os.path.dirname(__file__), "../../tests/fixtures/language")
RHYME = """Row, row, row your boat
Gently down the stream,
Merrily, merrily, merrily, merrily,
Life is but a dream.
"""
END = 3
SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1}
TOKENS = {"bos_token_id": 2, "eos_token_id": END, "pad_token_id": 0}

GREEDY: dict[str, Any] = {"max_new_tokens": 24}
TEXTS: list[dict[str, Any]] = [
    GREEDY,
    {**GREEDY, "repetition_penalty": 1.3},
    {**GREEDY, "no_repeat_ngram_size": 2},
    {**GREEDY, "suppress_tokens": [7, 22, 40], "begin_suppress_tokens": [9, 31], "min_new_tokens": 20},
    {**GREEDY, "do_sample": True},
    {**GREEDY, "do_sample": True, "temperature": 0.7, "top_k": 5},
    {**GREEDY, "do_sample": True, "top_k": 0, "top_p": 0.8},
    {**GREEDY, "do_sample": True, "top_k": 0, "min_p": 0.2, "repetition_penalty": 1.2},
    {**GREEDY, "do_sample": True, "temperature": 2.0, "top_k": 20, "top_p": 0.9, "min_p": 0.1, "no_repeat_ngram_size": 3},
]


def rhyme() -> Any:
    """A model that has read the rhyme four hundred times."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {**SMALL, "vocab_size": 128, "max_position_embeddings": 256, "tie_word_embeddings": True, "initializer_range": 0.2}
    model = LlamaForCausalLM(LlamaConfig(**sizes, **TOKENS))
    text = torch.tensor([[*RHYME.encode(), END]])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(400):
        optimizer.zero_grad()
        model(input_ids=text, labels=text).loss.backward()
        optimizer.step()
    return model.eval()


def untrained(kind: str, **sizes: Any) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(1)
    config = AutoConfig.for_model(kind, **{**SMALL, "vocab_size": 61, "max_position_embeddings": 64, "tie_word_embeddings": False, **TOKENS, **sizes})
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() >= 2:
                torch.nn.init.normal_(weight, 0, 0.7 if "embed" in name else weight.shape[-1] ** -0.5)
    return model


def save(model: Any, path: str, cache: dict[str, Any] | None = None, *, multi_token_decode: bool = False) -> None:
    from transformers import GenerationConfig
    from transformers.exporters import DynamoConfig, DynamoExporter

    # Two texts of different lengths: a size of 1 would be fixed, and so would a mask without padding.
    inputs = {"input_ids": torch.randint(4, 60, (2, 7)), "attention_mask": torch.tensor([[0, *[1] * 6], [1] * 7])}
    generation = None if cache is None else GenerationConfig(cache_implementation="static", **cache)
    exported = DynamoExporter().export_for_generation(
        copy.deepcopy(model),
        inputs,
        DynamoConfig(dynamic=True),
        generation_config=generation,
        multi_token_decode=multi_token_decode,
    )
    for component in exported.components.values():
        component.program = without_traces(component.program)
    exported.save_pretrained(path)


def save_letters(path: str) -> None:
    """A tokenizer whose tokens are the letters of ASCII."""
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE({chr(letter): letter for letter in range(128)}, []))
    tokenizer.decoder = decoders.Fuse()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=chr(END)).save_pretrained(path)


class Logits(torch.nn.Module):
    """A model without a cache, which reads the whole text each time."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=input_ids, use_cache=False).logits


def generated(model: Any, prompt: list[int], texts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = torch.tensor([prompt])
    results = []
    for settings in texts:
        torch.manual_seed(11)
        made = model.generate(ids, attention_mask=torch.ones_like(ids), pad_token_id=0, **settings)
        results.append({"settings": settings, "tokens": made[0, len(prompt) :].tolist()})
    return results


def main() -> None:
    folder = sys.argv[1] if len(sys.argv) > 1 else FOLDER
    warnings.filterwarnings("ignore")
    library = without_torchvision_ops()
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    learned, plain = rhyme(), untrained("llama")
    models = {
        "window": untrained("gemma2", head_dim=16, sliding_window=9, query_pre_attn_scalar=16),
        "states": untrained("lfm2", layer_types=["conv", "full_attention"]),
        "half": untrained("qwen2").bfloat16(),
    }
    letters, prompt = list(b"Row"), [2, 5, 9, 33]
    with torch.no_grad():
        save(learned, f"{folder}/rhyme", {"max_cache_len": 128}, multi_token_decode=True)
        save_letters(f"{folder}/rhyme")
        save(plain, f"{folder}/growing")
        save(plain, f"{folder}/passed", {"max_cache_len": 48})
        dynamic = {"input_ids": {1: torch.export.Dim("tokens", min=2, max=200)}}
        whole = torch.export.export(Logits(plain), (torch.tensor([prompt]),), dynamic_shapes=dynamic)
        os.makedirs(f"{folder}/whole")
        torch.export.save(without_traces(whole), f"{folder}/whole/model.pt2")
        for name, model in models.items():
            save(model, f"{folder}/{name}")
        expected = {"rhyme": {"prompt": letters, "texts": generated(learned, letters, [{"max_new_tokens": 100}])}}
        texts = generated(plain, prompt, TEXTS)
        expected |= {name: {"prompt": prompt, "texts": texts} for name in ("growing", "passed", "whole/model.pt2")}
        for name, model in models.items():
            expected[name] = {"prompt": prompt, "texts": generated(model, prompt, TEXTS[:1])}
    del library
    with open(f"{folder}/expected.json", "w", encoding="utf-8") as file:
        json.dump(expected, file)
        file.write("\n")


if __name__ == "__main__":
    main()
