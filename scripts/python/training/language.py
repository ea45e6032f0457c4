"""Models of transformers with tiny configurations and random weights, trained on labels."""

import torch
import transformers
from torch import Tensor, nn


class Labeled(nn.Module):
    """Returns the loss that the model computes itself, and its logits."""

    def __init__(self, model: nn.Module, inputs: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self.inputs = model, inputs

    def forward(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        found = self.model(**dict(zip(self.inputs, inputs, strict=False)), return_dict=True)
        return found.loss, found.logits.detach()


SMALL = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 37}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def bert() -> nn.Module:
    config = transformers.BertConfig(vocab_size=53, max_position_embeddings=16, num_labels=3, **SMALL, **NO_DROPOUT)
    return Labeled(transformers.BertForSequenceClassification(config), ("input_ids", "labels"))


def distilbert() -> nn.Module:
    config = transformers.DistilBertConfig(
        vocab_size=53, max_position_embeddings=16, dim=24, n_layers=2, n_heads=2, hidden_dim=37, dropout=0, attention_dropout=0
    )
    return Labeled(transformers.DistilBertForMaskedLM(config), ("input_ids", "labels"))


def gpt2() -> nn.Module:
    config = transformers.GPT2Config(
        vocab_size=53,
        n_positions=16,
        n_embd=24,
        n_layer=2,
        n_head=2,
        resid_pdrop=0,
        embd_pdrop=0,
        attn_pdrop=0,
        use_cache=False,
        attn_implementation="eager",
        tie_word_embeddings=False,
    )
    return Labeled(transformers.GPT2LMHeadModel(config), ("input_ids", "labels"))


def llama() -> nn.Module:
    config = transformers.LlamaConfig(vocab_size=53, max_position_embeddings=16, num_key_value_heads=1, use_cache=False, **SMALL)
    return Labeled(transformers.LlamaForCausalLM(config), ("input_ids", "labels"))


def t5() -> nn.Module:
    config = transformers.T5Config(
        vocab_size=53, d_model=24, d_kv=12, d_ff=37, num_layers=1, num_heads=2, dropout_rate=0, use_cache=False, decoder_start_token_id=0
    )
    return Labeled(transformers.T5ForConditionalGeneration(config), ("input_ids", "labels"))


def vit() -> nn.Module:
    config = transformers.ViTConfig(image_size=16, patch_size=4, num_labels=5, **SMALL, **NO_DROPOUT)
    return Labeled(transformers.ViTForImageClassification(config), ("pixel_values", "labels"))


def tokens(rows: int = 3, length: int = 7) -> Tensor:
    return torch.randint(1, 53, (rows, length))
