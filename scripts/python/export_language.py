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


def with_encoder(kind: type, config: Any) -> Any:
    """A model with random weights whose decoder reads what an encoder made."""
    torch.manual_seed(2)
    model = kind(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() >= 2:
                torch.nn.init.normal_(weight, 0, 0.7 if "embed" in name or "shared" in name else 2 * weight[0].numel() ** -0.5)
    return model


def two_texts() -> dict[str, torch.Tensor]:
    """Of different lengths: a size of 1 would be fixed, and so would a mask without padding."""
    return {"input_ids": torch.randint(4, 60, (2, 7)), "attention_mask": torch.tensor([[0, *[1] * 6], [1] * 7])}


def save(
    model: Any, path: str, cache: dict[str, Any] | None = None, *, multi_token_decode: bool = False, inputs: dict[str, torch.Tensor] | None = None
) -> None:
    from transformers import GenerationConfig
    from transformers.exporters import DynamoConfig, DynamoExporter

    inputs = inputs or two_texts()
    generation = None if cache is None else GenerationConfig(cache_implementation="static", **cache)
    exported = DynamoExporter().export_for_generation(
        copy.deepcopy(model),
        inputs,
        DynamoConfig(dynamic=True),
        generation_config=generation,
        multi_token_decode=multi_token_decode,
    )
    if model.config.is_encoder_decoder:
        encoded = {name: value for name, value in inputs.items() if not name.startswith("decoder_")}
        exported.components["encoder"] = DynamoExporter().export(model.get_encoder(), encoded, DynamoConfig(dynamic=True)).components["model"]
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


def decoded(model: Any, prompt: list[int], inputs: dict[str, torch.Tensor], texts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As `generated`; not the `generate` of Whisper, which makes a prompt of its own."""
    from transformers import GenerationMixin

    results = []
    for settings in texts:
        torch.manual_seed(11)
        made = GenerationMixin.generate(model, **inputs, decoder_input_ids=torch.tensor([prompt]), pad_token_id=0, **settings)
        results.append({"settings": settings, "tokens": made[0, len(prompt) :].tolist()})
    return results


def save_with_encoders(folder: str) -> dict[str, Any]:
    """A model that reads a text, and one that listens."""
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        T5Config,
        T5ForConditionalGeneration,
        WhisperConfig,
        WhisperForConditionalGeneration,
    )

    text = {"vocab_size": 61, "d_model": 32, **TOKENS, "decoder_start_token_id": 2}
    layers = {f"{part}_{name}": size for part in ("encoder", "decoder") for name, size in (("layers", 1), ("attention_heads", 2), ("ffn_dim", 48))}
    unasked = {"suppress_tokens": None, "begin_suppress_tokens": None}
    models = {
        "relative": with_encoder(T5ForConditionalGeneration, T5Config(d_kv=16, d_ff=48, num_layers=2, num_heads=2, **text)),
        "forced": with_encoder(BartForConditionalGeneration, BartConfig(max_position_embeddings=64, forced_eos_token_id=END, **layers, **text)),
        "heard": with_encoder(
            WhisperForConditionalGeneration,
            WhisperConfig(num_mel_bins=8, max_source_positions=20, max_target_positions=64, **layers, **unasked, **text),
        ),
    }
    read = {"input_ids": torch.tensor([[5, 40, 17, 8, 33, 21]])}
    padded = {**read, "attention_mask": torch.tensor([[1, 1, 1, 1, 0, 0]])}
    heard = {"input_features": torch.randn(1, 8, 40)}
    start = {"decoder_input_ids": torch.tensor([[2, 7, 9], [2, 11, 4]])}
    expected = {}
    for name, model in models.items():
        listens = name == "heard"
        inputs = {"input_features": torch.randn(2, 8, 40)} if listens else two_texts()
        save(model, f"{folder}/{name}", inputs={**inputs, **start})
        forced = {"max_new_tokens": 7, "forced_bos_token_id": 8, "forced_eos_token_id": 5}
        calls = [
            (name, [2, 9], heard if listens else read, [*TEXTS[:3], TEXTS[5], forced]),
            (f"{name} without a prompt", [2], heard if listens else padded, [GREEDY, forced]),
        ]
        for title, prompt, given, texts in calls:
            encoder = {key: {"shape": list(value.shape), "data": value.flatten().tolist()} for key, value in given.items()}
            tokens = prompt if len(prompt) > 1 else []
            expected[title] = {"folder": name, "prompt": tokens, "encoder": encoder, "texts": decoded(model, prompt, given, texts)}
    return expected


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
        expected |= save_with_encoders(folder)
    del library
    with open(f"{folder}/expected.json", "w", encoding="utf-8") as file:
        json.dump(expected, file)
        file.write("\n")


if __name__ == "__main__":
    main()
