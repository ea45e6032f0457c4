"""Makes the models of `pnpm bench:generation`, with random weights, or is PyTorch's side of it.

    python bench_generation.py FOLDER
    python bench_generation.py FOLDER FORM --threads N     (a subject: a text for each line that it reads)

A Llama of the sizes of SmolLM-135M as the exporters of transformers write it, with a static cache of 1024 tokens (`static`)
and with one that grows (`growing`). `text.json` has the tokens of its own `generate` after a prompt of 128.
"""

import copy
import json
import sys
import time
import warnings
from typing import Any

import torch

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
from transformers import GenerationConfig, LlamaForCausalLM

from bench_sizes import LLAMA_135M

PROMPT = [1, *range(5, 132)]
NEW_TOKENS = 32
STATIC = {"cache_implementation": "static", "max_cache_len": 1024}


def model() -> Any:
    torch.manual_seed(0)
    return LlamaForCausalLM(LLAMA_135M).eval()


def text(llama: Any, form: str) -> list[int]:
    ids = torch.tensor([PROMPT])
    cache = {"cache_implementation": "static"} if form == "static" else {}
    settings = {"max_new_tokens": NEW_TOKENS, "min_new_tokens": NEW_TOKENS, "do_sample": False, "pad_token_id": 0, **cache}
    return llama.generate(ids, attention_mask=torch.ones_like(ids), **settings)[0, len(PROMPT) :].tolist()


def export(folder: str) -> None:
    from transformers.exporters import DynamoConfig, DynamoExporter

    llama = model()
    inputs = {"input_ids": torch.randint(3, 257, (2, 5)), "attention_mask": torch.tensor([[0, 1, 1, 1, 1], [1] * 5])}
    for form in ("static", "growing"):
        settings = GenerationConfig(**STATIC) if form == "static" else None
        exported = DynamoExporter().export_for_generation(
            copy.deepcopy(llama),
            inputs,
            DynamoConfig(dynamic=True),
            generation_config=settings,
            multi_token_decode=form == "static",
        )
        exported.save_pretrained(f"{folder}/{form}")
    with open(f"{folder}/text.json", "w", encoding="utf-8") as file:
        json.dump({"prompt": PROMPT, "tokens": text(llama, "growing")}, file)


def subject(form: str, threads: int) -> None:
    torch.set_num_threads(threads)
    llama = model()
    with torch.inference_mode():
        print(json.dumps({"tokens": text(llama, form)}), flush=True)
        for _ in sys.stdin:
            began = time.perf_counter()
            text(llama, form)
            print((time.perf_counter() - began) * 1000, flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if len(sys.argv) == 2:
        export(sys.argv[1])
    else:
        subject(sys.argv[2], int(sys.argv[4]))
