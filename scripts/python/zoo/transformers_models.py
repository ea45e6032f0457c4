"""Models from transformers with small configurations."""

from typing import Any

import torch
import transformers as hf
from torch.export import Dim

from pt2files import Call
from zoo.spec import Spec


def _tokens(*shape: int) -> torch.Tensor:
    return torch.randint(3, 997, shape)


def _mask(batch: int, length: int) -> torch.Tensor:
    """Right-padded: row i has i tokens less, never fewer than one."""
    lengths = (length - torch.arange(batch)).clamp(min=1)
    return (torch.arange(length) < lengths[:, None]).long()


def _text(*sizes: tuple[int, int]) -> list[Call]:
    return [Call(kwargs={"input_ids": _tokens(*size), "attention_mask": _mask(*size)}) for size in sizes]


def _bert(_small: bool) -> torch.nn.Module:
    config = hf.BertConfig(
        vocab_size=1000, hidden_size=96, num_hidden_layers=3, num_attention_heads=6, intermediate_size=192, max_position_embeddings=128
    )
    return hf.BertModel(config)


def _distilbert(_small: bool) -> torch.nn.Module:
    config = hf.DistilBertConfig(vocab_size=1000, dim=96, n_layers=3, n_heads=6, hidden_dim=192, max_position_embeddings=128, num_labels=5)
    return hf.DistilBertForSequenceClassification(config)


def _gpt2(attention: str) -> torch.nn.Module:
    config = hf.GPT2Config(vocab_size=1000, n_embd=96, n_layer=3, n_head=6, n_positions=128, use_cache=False, attn_implementation=attention)
    return hf.GPT2LMHeadModel(config)


def _t5(_small: bool) -> torch.nn.Module:
    config = hf.T5Config(vocab_size=1000, d_model=96, d_kv=16, d_ff=192, num_layers=3, num_heads=6, feed_forward_proj="gated-gelu")
    return hf.T5EncoderModel(config)


def _clip(_small: bool) -> torch.nn.Module:
    config = hf.CLIPVisionConfig(
        hidden_size=96, intermediate_size=192, num_hidden_layers=3, num_attention_heads=6, image_size=96, patch_size=16, projection_dim=48
    )
    return hf.CLIPVisionModelWithProjection(config)


def _whisper(_small: bool) -> torch.nn.Module:
    config = hf.WhisperConfig(
        vocab_size=1000,
        d_model=96,
        encoder_layers=3,
        decoder_layers=1,
        encoder_attention_heads=6,
        decoder_attention_heads=6,
        encoder_ffn_dim=192,
        decoder_ffn_dim=192,
        num_mel_bins=80,
        max_source_positions=75,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
    )
    return hf.WhisperModel(config).get_encoder()


def _dynamic_text(batch: bool) -> Any:
    sequence = Dim("sequence", min=2, max=128)
    dims = {0: Dim("batch", min=1, max=64), 1: sequence} if batch else {1: sequence}
    return {"input_ids": dims, "attention_mask": dims}


SPECS = [
    Spec("bert", _bert, lambda: _text((2, 17))),
    # With fused attention, run_decompositions() of torch 2.13 fails on a batch larger than one.
    Spec("gpt2", lambda _small: _gpt2("eager"), lambda: _text((2, 19))),
    Spec("bert_dynamic", _bert, lambda: _text((2, 17), (1, 5), (3, 64)), lambda: _dynamic_text(True)),
    Spec("gpt2_dynamic", lambda _small: _gpt2("sdpa"), lambda: _text((1, 19), (1, 2), (1, 67)), lambda: _dynamic_text(False)),
    Spec("distilbert", _distilbert, lambda: _text((3, 13))),
    Spec("t5_encoder", _t5, lambda: _text((2, 23))),
    Spec("clip_vision", _clip, lambda: [Call(kwargs={"pixel_values": torch.randn(2, 3, 96, 96)})]),
    Spec("whisper_encoder", _whisper, lambda: [Call((torch.randn(1, 80, 150),))]),
]
