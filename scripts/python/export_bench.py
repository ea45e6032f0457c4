"""The models of the benchmark as `.pt2` and as `.onnx`, same weights: `python export_bench.py OUT [--only NAME ...]`.

NAME.pt2 is training IR, NAME_aten.pt2 ATen IR; inputs and PyTorch's outputs as in pt2files.py. `NAME.onnx.json` names
the ONNX model's inputs and outputs in the order of those files. `vit_b_16.pt2` (348 MB) is for cold loads too. With
`--dtype float16` or `bfloat16` it is NAME_DTYPE.pt2 instead, a module in half precision, and nothing besides.
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.utils._pytree import tree_map

import torchvision_schemas  # noqa: F401  first, see there

# isort: split
import timm
import transformers as hf
from torchvision import models

from bench_kernels import KERNELS, save_fused_attention
from onnx_files import export_onnx
from pt2files import Call, export_dialects, record, save_program
from zoo.weights import enliven

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../examples/search"))
from export_model import load_encoder


@dataclass(frozen=True)
class Bench:
    build: Callable[[Call], torch.nn.Module]
    call: Callable[[], Call]


def _vision(name: str) -> Callable[[Call], torch.nn.Module]:
    return lambda call: enliven(models.get_model(name, weights=None), call)


def _image() -> Call:
    return Call((torch.randn(1, 3, 224, 224),))


def _text(length: int) -> Callable[[], Call]:
    return lambda: Call(kwargs={"input_ids": torch.randint(1000, 30000, (1, length)), "attention_mask": torch.ones(1, length, dtype=torch.int64)})


def _tokens() -> Call:
    return Call(kwargs={"input_ids": torch.randint(1000, 30000, (1, 128))})


def _vit_tiny(call: Call) -> torch.nn.Module:
    sizes = {"num_layers": 12, "num_heads": 3, "hidden_dim": 192, "mlp_dim": 768}
    return enliven(models.VisionTransformer(image_size=224, patch_size=16, **sizes), call)


# Families that are hard on a runtime, each in another way: small mobile nets, dense concatenation, parallel branches of
# several resolutions, gated blocks with few channels on big maps, attention of many kinds.
TIMM = (
    *("mobilenetv4_conv_small", "ghostnet_100", "mnasnet_100", "efficientvit_b0", "mixnet_s"),
    *("densenet121", "ese_vovnet19b_dw", "res2net50_26w_4s", "hrnet_w18_small_v2"),
    *("mambaout_femto", "focalnet_tiny_srf", "regnety_008"),
    *("deit_tiny_patch16_224", "poolformer_s12", "xcit_nano_12_p16_224"),
)


def _timm(name: str) -> Callable[[Call], torch.nn.Module]:
    return lambda call: enliven(timm.create_model(name, pretrained=False), call)


BENCHES = {
    "resnet18": Bench(_vision("resnet18"), _image),
    "mobilenet_v3_large": Bench(_vision("mobilenet_v3_large"), _image),
    "bert_base": Bench(lambda call: enliven(hf.BertModel(hf.BertConfig(), add_pooling_layer=False), call), _text(128)),
    "minilm": Bench(lambda _call: load_encoder(), _text(64)),
    "minilm_128": Bench(lambda _call: load_encoder(), _text(128)),
    "vit_tiny": Bench(_vit_tiny, _image),
    "vit_b_16": Bench(_vision("vit_b_16"), _image),
    "resnet50": Bench(_vision("resnet50"), _image),
    "efficientnet_b0": Bench(_vision("efficientnet_b0"), _image),
    "convnext_tiny": Bench(_vision("convnext_tiny"), _image),
    "swin_t": Bench(_vision("swin_t"), _image),
    "gpt2": Bench(lambda call: enliven(hf.GPT2LMHeadModel(hf.GPT2Config(use_cache=False)), call), _tokens),
    **{name: Bench(_timm(name), _image) for name in TIMM},
    **{name: Bench(lambda _call, build=build: build().eval(), call) for name, (build, call) in KERNELS.items()},
}


def save_half(folder: str, name: str, module: torch.nn.Module, call: Call) -> None:
    dtype = getattr(torch, name.split("_")[-1])
    module = module.to(dtype)
    args, kwargs = tree_map(lambda t: t.to(dtype) if t.is_floating_point() else t, (call.args, call.kwargs))
    half = Call(args, kwargs)
    with torch.no_grad():
        program = torch.export.export(module, half.args, half.kwargs)
    path = save_program(folder, name, program, record(module, [half]))
    print(f"{name:20} {os.path.getsize(path) / 1e6:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="+", choices=list(BENCHES), metavar="NAME", default=list(BENCHES))
    parser.add_argument("--dtype", choices=["float16", "bfloat16"])
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for name in options.only:
        torch.manual_seed(20)
        bench = BENCHES[name]
        call = bench.call()
        module = bench.build(call)
        if options.dtype is not None:
            save_half(options.folder, f"{name}_{options.dtype}", module, call)
            continue
        recording = record(module, [call])
        paths = [save_program(options.folder, name + suffix, make(), recording) for suffix, make in export_dialects(module, call).items()]
        paths.append(export_onnx(module, call, options.folder, name))
        if name == "attention":
            save_fused_attention(options.folder)
        print(f"{name:20}", ", ".join(f"{os.path.basename(p)} {os.path.getsize(p) / 1e6:.0f} MB" for p in paths), flush=True)


if __name__ == "__main__":
    main()
