"""Writes tests/fixtures/programs/written_constants: a tiny decoder as transformers exports it with a static cache.

    python scripts/python/export_static_cache.py [OUT]      (needs transformers 5 beside torch)

`TorchExportableModuleWithStaticCache` leaves the keys, the values and how many there are as lifted constants, which the
program writes: each call decodes one token and depends on those before it. PyTorch answers from the file itself, as the
export has moved the module's own state.
"""

import contextlib
import io
import os
import sys
import warnings
from typing import Any

import torch

from pt2files import Call, check_program, record, save_program, without_traces

FOLDER = os.path.join(os.path.dirname(__file__), "../../tests/fixtures/programs")
TOKENS, LENGTH = [3, 1, 4, 1, 5, 9], 8


def without_torchvision_ops() -> Any:
    """transformers imports torchvision, which defines its ops from schemas that only its own library has."""
    library = torch.library.Library("torchvision", "DEF")
    for schema in (
        "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    ):
        with contextlib.suppress(RuntimeError):
            library.define(schema)
    return library


def exported() -> torch.export.ExportedProgram:
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM
    from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 16}
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(num_hidden_layers=2, max_position_embeddings=16, initializer_range=0.5, **sizes)).eval()
    cache = {"batch_size": 1, "max_cache_len": LENGTH}
    model.generation_config = GenerationConfig(use_cache=True, cache_implementation="static", max_length=LENGTH, cache_config=cache)
    module = TorchExportableModuleWithStaticCache(model, 1, LENGTH)
    return torch.export.export(module, (torch.tensor([[1]]),), {"cache_position": torch.tensor([0])})


def main() -> None:
    folder = sys.argv[1] if len(sys.argv) > 1 else FOLDER
    warnings.filterwarnings("ignore")
    library = without_torchvision_ops()
    program = without_traces(exported())
    del library
    # The export has run the module: its constants are what they were before.
    for name, constant in program.constants.items():
        if isinstance(constant, torch.Tensor) and "inv_freq" not in name:
            program.constants[name] = torch.zeros_like(constant.detach())
    calls = [Call((torch.tensor([[token]]),), {"cache_position": torch.tensor([at])}) for at, token in enumerate(TOKENS)]
    stream = io.BytesIO()
    torch.export.save(program, stream)
    recording = record(torch.export.load(stream).module(), calls)
    path = save_program(folder, "written_constants", program, recording)
    check_program(path, calls, recording)
    print(f"{os.path.getsize(path) / 1e3:.1f} kB")


if __name__ == "__main__":
    main()
