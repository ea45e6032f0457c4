"""Makes the programs of `pnpm bench:decoders`, with random weights: python bench_decoders.py FOLDER [DTYPE ...].

Each is a Llama decoder of the sizes of SmolLM-135M with a static cache of 1024 tokens, which computes one token.
"""

import os
import sys

import torch

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
from transformers import GenerationConfig, LlamaForCausalLM
from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

from bench_sizes import LLAMA_135M
from pt2files import Call, record, save_program

CACHE = 1024


def decoder(dtype: torch.dtype) -> torch.nn.Module:
    model = LlamaForCausalLM(LLAMA_135M).eval().to(dtype)
    model.generation_config = GenerationConfig(
        use_cache=True,
        cache_implementation="static",
        cache_config={"batch_size": 1, "max_cache_len": CACHE},
        max_length=CACHE,
    )
    return TorchExportableModuleWithStaticCache(model, batch_size=1, max_cache_len=CACHE)


if __name__ == "__main__":
    folder, *dtypes = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    call = Call(kwargs={"input_ids": torch.tensor([[7]]), "cache_position": torch.tensor([0])})
    for name in dtypes or ["float32", "bfloat16", "float16"]:
        torch.manual_seed(0)
        with torch.no_grad():
            module = decoder(getattr(torch, name))
            program = torch.export.export(module, (), call.kwargs, strict=False)
            print(save_program(folder, name, program, record(module, [call])))
