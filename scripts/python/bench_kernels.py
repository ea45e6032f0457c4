"""The single operations of the WebGPU benchmark, as modules: one operand comes from outside, weights are the module's."""

import json
import os

import torch
from onnx import TensorProto, helper, save
from torch import nn

from pt2files import Call


class Product(nn.Module):
    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns) / rows**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


class Attention(nn.Module):
    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(query, key, value)


def _plane(channels: int) -> Call:
    return Call((torch.randn(1, channels, 56, 56),))


KERNELS = {
    "matmul_512": (lambda: Product(512, 512), lambda: Call((torch.randn(512, 512),))),
    "matmul_2048": (lambda: Product(768, 3072), lambda: Call((torch.randn(2048, 768),))),
    "conv_3x3": (lambda: nn.Conv2d(64, 64, 3, padding=1), lambda: _plane(64)),
    "depthwise_3x3": (lambda: nn.Conv2d(96, 96, 3, padding=1, groups=96), lambda: _plane(96)),
    "softmax": (lambda: nn.Softmax(-1), lambda: Call((torch.randn(12, 128, 128),))),
    "layer_norm": (lambda: nn.LayerNorm(768), lambda: Call((torch.randn(128, 768),))),
    "attention": (Attention, lambda: Call(tuple(torch.randn(1, 12, 128, 64) for _ in range(3)))),
}


def save_fused_attention(folder: str) -> None:
    """`attention_fused.onnx`: ONNX Runtime's own node, of (batch, positions, heads * size), in place of the exporter's products."""
    names = ["query", "key", "value"]
    node = helper.make_node("MultiHeadAttention", names, ["result"], domain="com.microsoft", num_heads=12)
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 128, 768]) for name in [*names, "result"]]
    graph = helper.make_graph([node], "attention", tensors[:3], tensors[3:])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=9), os.path.join(folder, "attention_fused.onnx"))
    with open(os.path.join(folder, "attention_fused.onnx.json"), "w") as file:
        json.dump({"inputs": names, "outputs": ["result"]}, file)
