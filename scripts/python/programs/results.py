"""Results and arguments of classes: outputs and caches of transformers, dataclasses, what `torch.topk` returns."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.return_types import topk
from torch.utils import _pytree as pytree

from programs.program import Program, calls
from pt2files import Call

SIZES = {"vocab_size": 11, "hidden_size": 4, "intermediate_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1, "max_position_embeddings": 8}


@dataclass
class Found:
    """A result with a part that may be absent."""

    boxes: torch.Tensor
    masks: torch.Tensor | None
    count: int


torch.export.register_dataclass(Found, serialized_type_name="programs.Found")


class Dataclasses(nn.Module):
    """A dataclass in, nested ones out, one of their fields None."""

    def forward(self, found: Found) -> dict[str, Found]:
        return {"double": Found(found.boxes * 2, found.masks, found.count), "bare": Found(found.boxes + 1, None, 3)}


class ReturnTypes(nn.Module):
    """What PyTorch's functions with several results return, as it is and inside a dict."""

    def forward(self, x: torch.Tensor) -> tuple:
        return torch.topk(x, 2), {"largest": torch.max(x, dim=1)}


def _return_types() -> nn.Module:
    # PyTorch registers these classes for tracing, but without the name that a file needs.
    for cls in (topk, torch.return_types.max):
        pytree.SUPPORTED_NODES.pop(cls)
        pytree.SUPPORTED_SERIALIZED_TYPES.pop(cls)
        name = f"torch.return_types.{cls.__name__}"
        pytree.register_pytree_node(cls, lambda value: (list(value), None), lambda values, _, cls=cls: cls(values), serialized_type_name=name)
    return ReturnTypes()


def _transformers():
    import transformers

    import torchvision_schemas  # noqa: F401

    return transformers


def _bert() -> nn.Module:
    t = _transformers()
    return t.BertModel(t.BertConfig(**SIZES, output_hidden_states=True))


def _clip() -> nn.Module:
    t = _transformers()
    text = {**SIZES, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    vision = {"hidden_size": 4, "intermediate_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1, "image_size": 4, "patch_size": 2}
    return t.CLIPModel(t.CLIPConfig(text_config=text, vision_config=vision, projection_dim=3))


def _llama() -> nn.Module:
    t = _transformers()
    return t.LlamaForCausalLM(t.LlamaConfig(**SIZES, num_key_value_heads=1, use_cache=True))


def _dynamic_llama() -> nn.Module:
    model = _llama()
    from transformers.integrations.executorch import register_dynamic_cache_export_support

    register_dynamic_cache_export_support()
    return model


def _static_llama() -> nn.Module:
    model = _llama()
    from transformers import StaticCache
    from transformers.exporters.exporter_dynamo import register_pytree_node

    register_pytree_node(StaticCache)
    return model


def _dynamic_cache(length: int):
    t = _transformers()
    return t.DynamicCache([(torch.randn(1, 1, length, 4), torch.randn(1, 1, length, 4))])


def _static_cache():
    t = _transformers()
    config = t.LlamaConfig(**SIZES, num_key_value_heads=1)
    cache = t.StaticCache(config=config, max_cache_len=6)
    cache.early_initialization(1, 1, 4, torch.float32, "cpu")
    return cache


def _ids(*shape: int) -> torch.Tensor:
    return torch.randint(0, 11, shape)


PROGRAMS = [
    Program("dataclasses", Dataclasses, lambda: calls((Found(torch.randn(2, 4), torch.randn(2, 3), 5),))),
    Program("return_types", _return_types, lambda: calls((torch.randn(2, 3),))),
    Program("model_output", _bert, lambda: [Call((_ids(1, 5),), {"attention_mask": torch.ones(1, 5, dtype=torch.int64)})], plain=True),
    Program("nested_output", _clip, lambda: [Call((), {"input_ids": _ids(2, 5), "pixel_values": torch.randn(1, 3, 4, 4)})], plain=True),
    Program("dynamic_cache", _dynamic_llama, lambda: [Call((_ids(1, 1),), {"past_key_values": _dynamic_cache(3)})], plain=True),
    Program("static_cache", _static_llama, lambda: [Call((_ids(1, 2),), {"past_key_values": _static_cache()})], plain=True),
]
