"""Quantized networks: what PT2E's quantizers and torchao's configurations leave in a program."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from programs.program import Program, calls


class ConvNet(nn.Module):
    """Convolutions with batch norms, a residual, pools, a linear head."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(3, 5, 3, padding=1), nn.BatchNorm2d(5)
        self.conv2, self.norm2 = nn.Conv2d(5, 5, 3, padding=1, bias=False), nn.BatchNorm2d(5)
        self.head = nn.Linear(5, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.norm1(self.conv1(x)))
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x)) + x), 2)
        return self.head(x.mean((2, 3)))


class Block(nn.Module):
    """A transformer's block."""

    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part.unflatten(-1, (2, -1)).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Tagger(nn.Module):
    """An embedding, a recurrence, a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.recurrence = nn.LSTM(8, 8, batch_first=True)
        self.head = nn.Linear(8, 5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.recurrence(self.embedding(tokens))[0])


class Perceptron(nn.Module):
    """Two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(12, 20), nn.Linear(20, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.relu(self.up(x)))


class Converted(nn.Module):
    """What PT2E gives: a graph that refuses to be told of its mode."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def train(self, mode: bool = True) -> nn.Module:
        return self

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.network(x)


def _images() -> tuple:
    return (torch.randn(2, 3, 6, 6),)


def _sequences() -> tuple:
    return (torch.randn(2, 5, 12),)


def _tokens() -> tuple:
    return (torch.randint(0, 11, (2, 5)),)


def _rows() -> tuple:
    return (torch.randn(5, 12),)


def quiet() -> None:
    """torchao says at its import which native libraries do not fit this torch; its Python needs none of them."""
    logging.getLogger("torchao").setLevel(logging.ERROR)


def _x86(**options: Any) -> Any:
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    return x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config(**options))


def _xnnpack(**options: Any) -> Any:
    from torchao.testing.pt2e import _xnnpack_quantizer as xnnpack

    return xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config(**options))


def _embedding() -> Any:
    from torchao.quantization.pt2e.quantizer.embedding_quantizer import EmbeddingQuantizer

    return EmbeddingQuantizer()


def _pt2e(
    network: type[nn.Module], inputs: Callable[[], tuple], quantizer: Callable[[], Any], training: bool = False, **convert: Any
) -> Callable[[], nn.Module]:
    """A network after PT2E quantization, calibrated, or trained for it, on random data."""

    def make() -> nn.Module:
        quiet()
        from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e, prepare_qat_pt2e

        exported = torch.export.export(network().train(training), inputs()).module()
        prepared = (prepare_qat_pt2e if training else prepare_pt2e)(exported, quantizer())
        for _ in range(3):
            prepared(*inputs())
        return Converted(convert_pt2e(prepared, **convert))

    return make


def _torchao(
    network: type[nn.Module], config: Callable[[Any], Any], dtype: torch.dtype = torch.float32, filter_fn: Any = None
) -> Callable[[], nn.Module]:
    """A network after `quantize_`, its tensor subclasses unwrapped, as an export needs them."""

    def make() -> nn.Module:
        quiet()
        import torchao.quantization as quantization
        from torchao.utils import unwrap_tensor_subclass

        model = network().eval().to(dtype)
        quantization.quantize_(model, config(quantization), **({} if filter_fn is None else {"filter_fn": filter_fn}))
        return unwrap_tensor_subclass(model)

    return make


def _groups(quantization: Any, size: int) -> Any:
    from torchao.quantization.granularity import PerGroup

    return PerGroup(size)


def _intx(quantization: Any) -> Any:
    return quantization.IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=_groups(quantization, 4))


def _two_bits(quantization: Any) -> Any:
    mapping = quantization.MappingType.ASYMMETRIC
    return quantization.IntxWeightOnlyConfig(weight_dtype=torch.int2, granularity=_groups(quantization, 4), mapping_type=mapping)


def _dynamic_intx(quantization: Any) -> Any:
    return quantization.Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=_groups(quantization, 4))


def _no_clipping(quantization: Any) -> Any:
    return quantization.Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4,
        weight_granularity=_groups(quantization, 4),
        weight_mapping_type=quantization.MappingType.SYMMETRIC_NO_CLIPPING_ERR,
    )


def _dynamic_asymmetric(quantization: Any) -> Any:
    return quantization.Int8DynamicActivationInt8WeightConfig(act_mapping_type=quantization.MappingType.ASYMMETRIC)


def _layers(module: nn.Module, _: str) -> bool:
    return isinstance(module, (nn.Linear, nn.Embedding))


IMAGES, SEQUENCES, TOKENS, ROWS = (lambda inputs=inputs: calls(inputs(), inputs()) for inputs in (_images, _sequences, _tokens, _rows))
LENGTHS = {"dynamic": lambda: ({1: Dim("length", min=2, max=64)},)}


def _lengths() -> list:
    return calls(_sequences(), (torch.randn(2, 3, 12),), (torch.randn(2, 7, 12),))


_PROGRAMS = [
    Program("pt2e_x86", _pt2e(ConvNet, _images, _x86), IMAGES),
    Program("pt2e_x86_dynamic", _pt2e(Block, _sequences, lambda: _x86(is_dynamic=True)), SEQUENCES),
    Program("pt2e_x86_trained", _pt2e(ConvNet, _images, lambda: _x86(is_qat=True), training=True), IMAGES),
    Program("pt2e_x86_tagger", _pt2e(Tagger, _tokens, lambda: _x86(is_dynamic=True)), TOKENS),
    Program("pt2e_xnnpack", _pt2e(ConvNet, _images, _xnnpack), IMAGES),
    Program("pt2e_xnnpack_channels", _pt2e(ConvNet, _images, lambda: _xnnpack(is_per_channel=True)), IMAGES),
    Program("pt2e_xnnpack_dynamic", _pt2e(Block, _sequences, lambda: _xnnpack(is_per_channel=True, is_dynamic=True)), SEQUENCES),
    Program("pt2e_xnnpack_trained", _pt2e(ConvNet, _images, lambda: _xnnpack(is_per_channel=True, is_qat=True), training=True), IMAGES),
    Program("pt2e_unfolded", _pt2e(ConvNet, _images, lambda: _xnnpack(is_per_channel=True), fold_quantize=False), IMAGES),
    Program("pt2e_embedding", _pt2e(Tagger, _tokens, _embedding), TOKENS),
    Program("torchao_int8", _torchao(Perceptron, lambda q: q.Int8WeightOnlyConfig()), ROWS),
    Program("torchao_int8_groups", _torchao(Perceptron, lambda q: q.Int8WeightOnlyConfig(granularity=_groups(q, 4))), ROWS),
    Program("torchao_int8_dynamic", _torchao(Perceptron, lambda q: q.Int8DynamicActivationInt8WeightConfig()), ROWS),
    Program("torchao_int8_asymmetric", _torchao(Perceptron, _dynamic_asymmetric), ROWS),
    Program("torchao_int4", _torchao(Block, _intx), SEQUENCES),
    Program("torchao_int2", _torchao(Perceptron, _two_bits), ROWS),
    Program("torchao_int4_embedding", _torchao(Tagger, _intx, filter_fn=_layers), TOKENS),
    Program("torchao_int4_dynamic", _torchao(Block, _dynamic_intx), _lengths, **LENGTHS),
    Program("torchao_int4_bfloat16", _torchao(Perceptron, _dynamic_intx, torch.bfloat16), lambda: calls((_rows()[0].bfloat16(),))),
    Program("torchao_int4_no_clipping", _torchao(Perceptron, _no_clipping, torch.float16), lambda: calls((_rows()[0].half(),))),
    Program("torchao_float8", _torchao(Perceptron, lambda q: q.Float8WeightOnlyConfig()), ROWS),
]


class OutDtype(nn.Module):
    """Products of bytes that are integers of 32 bits, and halves that are multiplied in float32."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randint(-128, 128, (2, 3), dtype=torch.int8))
        self.register_buffer("kernel", torch.randint(-128, 128, (2, 4, 3), dtype=torch.int8))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        out, aten = torch._higher_order_ops.out_dtype, torch.ops.aten
        bytes_, half = x.to(torch.int8), x.half()
        return (
            out(aten.mm.default, torch.int32, bytes_, bytes_.t()),
            out(aten.linear.default, torch.int32, bytes_, self.weight),
            out(aten.convolution.default, torch.int32, bytes_[None], self.kernel, None, [1], [1], [1], False, [0], 1),
            out(aten.mul.Tensor, torch.int32, x.abs().to(torch.uint8), bytes_),
            out(aten.mul.Scalar, torch.int32, bytes_, 100),
            out(aten.mm.default, torch.float32, half, half.t()),
        )


_OUT_DTYPE = Program("out_dtype", OutDtype, lambda: calls((torch.randn(4, 3) * 20,)))

PROGRAMS = [replace(program, traces=False) for program in (*_PROGRAMS, _OUT_DTYPE)]
