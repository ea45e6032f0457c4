"""A small GPT-2, of four blocks with a width of 128: `python bench_gpt2.py OUT.pt2`.

Tokens [batch, length] to the logits of the next ones [batch * length, 512]. It is written out, so that other frameworks
can compute the same; dropout is left out, because their random numbers differ.
"""

import sys

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, LENGTH, WIDTH, BLOCKS, HEADS = 512, 64, 128, 4, 4


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.c_fc, self.c_out = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        heads = (part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).split(WIDTH, 2))
        seen = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.c_proj(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.ln_f = nn.LayerNorm(WIDTH)
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        for table in [self.wte, self.wpe]:
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x)).flatten(0, 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    batch = torch.export.Dim("batch", min=1, max=64)
    tokens = torch.randint(0, VOCABULARY, (4, LENGTH))
    program = torch.export.export(Gpt2().eval(), (tokens,), dynamic_shapes=({0: batch},), strict=False)
    torch.export.save(program, sys.argv[1])
