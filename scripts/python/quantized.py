"""Writes packages/registry/src/quantized/quantized.golden.json: schemas of quantized ops, and calls of them that PyTorch refuses.

    python scripts/python/quantized.py [--check]

A tensor among the arguments is {"tensor": "dtype:2,3"}, filled with ones. A call that PyTorch takes fails the script.
"""

import json
import logging

import torch
import torch.ao.quantization.fx._decomposed

from generated import ROOT, write_or_check

logging.disable(logging.WARNING)
import torchao.quantization.quant_primitives  # noqa: E402, F401 registers torchao's ops

TARGET = ROOT / "packages/registry/src/quantized/quantized.golden.json"
QD, AO = "quantized_decomposed::", "torchao::"
# Of torchao only what exported programs contain; its kernels for single processors are in the same namespace.
TORCHAO = ("choose_qparams_affine", "quantize_affine", "dequantize_affine", "choose_scale_float8", "_float8_non_decomposed")


def t(text):
    return {"tensor": text}


X, Q, ONE, ROW = t("float32:3,5"), t("int8:3,5"), t("float32:1"), t("float32:3,1")
PER_TENSOR = {"scale": 0.1, "zero_point": 0, "quant_min": -128, "quant_max": 127, "dtype": "int8"}
CHANNELS = {"scales": t("float32:3"), "zero_points": t("int64:3"), "axis": 0, "quant_min": -128, "quant_max": 127, "dtype": "int8"}
TOKENS = {"scales": ROW, "zero_points": t("int64:3,1"), "quant_min": -128, "quant_max": 127, "dtype": "int8"}
GROUPS = {"scales": t("float32:3,2"), "zero_points": t("int64:3,2"), "quant_min": -8, "quant_max": 7, "dtype": "int8", "group_size": 3}
CHOOSE = {"quant_min": -128, "quant_max": 127, "eps": 1e-5, "dtype": "int8"}
AFFINE = {"block_size": [1, 5], "scale": t("float32:3"), "zero_point": t("int32:3")}
REFUSED = [
    (QD + "quantize_per_tensor", {"input": X, **PER_TENSOR}, [
        {"input": t("float64:3")}, {"input": Q}, {"quant_min": -129}, {"quant_max": 128}, {"dtype": "int64"}, {"dtype": "bool"}, {"scale": 0.0},
    ]),
    (QD + "quantize_per_tensor.tensor", {"input": X, **PER_TENSOR, "scale": ONE, "zero_point": t("int64:1")}, [
        {"scale": t("float32:2")}, {"zero_point": t("int64:0")}, {"quant_max": 300}, {"input": t("float64:3")},
    ]),
    (QD + "dequantize_per_tensor", {"input": Q, **PER_TENSOR}, [{"input": X}, {"dtype": "uint8"}, {"input": t("int64:3"), "dtype": "int64"}]),
    (QD + "dequantize_per_tensor.tensor", {"input": Q, **PER_TENSOR, "scale": ONE, "zero_point": t("int64:1")}, [
        {"scale": t("float32:2")}, {"zero_point": t("int64:2")}, {"input": X},
    ]),
    (QD + "quantize_per_channel", {"input": X, **CHANNELS}, [
        {"axis": 2}, {"axis": -3}, {"scales": t("float32:2")}, {"zero_points": t("int64:2")}, {"quant_min": -200}, {"input": Q}, {"scales": t("float32:")},
    ]),
    (QD + "dequantize_per_channel", {"input": Q, **CHANNELS}, [
        {"axis": 2}, {"scales": t("float32:2")}, {"dtype": "uint8"}, {"quant_max": 128}, {"zero_points": t("int64:5")},
    ]),
    (QD + "fake_quant_per_channel", {"input": X, **{k: v for k, v in CHANNELS.items() if k != "dtype"}}, [{"input": t("float64:3,5")}, {"axis": 2}]),
    (QD + "quantize_per_token", {"input": X, **TOKENS}, [{"scales": t("float32:5")}, {"zero_points": t("int64:1")}, {"quant_max": 128}, {"dtype": "int64"}]),
    (QD + "quantize_per_channel_group", {"input": t("float32:3,6"), **GROUPS}, [
        {"group_size": 1}, {"group_size": 4}, {"input": t("float32:6")}, {"group_size": 12}, {"scales": t("float32:3,3")},
    ]),
    (QD + "dequantize_per_channel_group", {"input": t("int8:3,6"), **GROUPS, "output_dtype": "float32"}, [
        {"group_size": 1}, {"group_size": 4}, {"input": t("int8:1,3,6")}, {"scales": t("float32:3,3")},
    ]),
    (QD + "choose_qparams.tensor", {"input": X, **CHOOSE}, [
        {"input": Q}, {"input": t("float64:3")}, {"quant_min": 1}, {"quant_max": -1}, {"quant_min": 0, "quant_max": 0}, {"dtype": "int64"}, {"input": t("float32:0")},
    ]),
    (QD + "choose_qparams_symmetric.tensor", {"input": X, **CHOOSE}, [{"input": Q}, {"quant_min": 1}, {"dtype": "bool"}]),
    (QD + "choose_qparams_per_token", {"input": X, "dtype": "int8"}, [{"dtype": "uint8"}, {"input": t("float32:3,0")}]),
    (AO + "choose_qparams_affine", {"input": X, "mapping_type": "SYMMETRIC", "block_size": [1, 5], "target_dtype": "int8"}, [
        {"mapping_type": "NONE"}, {"block_size": [5]}, {"block_size": [2, 5]}, {"block_size": [1, 3]}, {"target_dtype": "int64"}, {"quant_min": -129},
        {"quant_max": 200}, {"input": Q}, {"input": t("float32:3,0"), "block_size": [1, 0]},
    ]),
    (AO + "quantize_affine", {"input": X, **AFFINE, "output_dtype": "int8"}, [
        {"zero_point": None}, {"zero_point": t("int32:0")}, {"scale": t("float32:5")}, {"zero_point": t("int32:5")}, {"block_size": [1, 2]},
        {"block_size": [1]}, {"input": t("float64:3,5")}, {"output_dtype": "int64"}, {"quant_max": 128},
    ]),
    (AO + "dequantize_affine", {"input": Q, **AFFINE, "input_dtype": "int8"}, [
        {"input_dtype": "uint8"}, {"output_dtype": "float64"}, {"scale": t("float32:5")}, {"zero_point": t("int32:0")}, {"block_size": [2, 5]},
        {"input": t("int64:3,5"), "input_dtype": "int64"}, {"quant_min": -129},
    ]),
    (AO + "choose_scale_float8", {"tensor": X, "block_size": [1, 5]}, [{"block_size": [2, 5]}, {"block_size": [5]}, {"float8_dtype": "int8"}, {"scale_dtype": "float16"}]),
    (AO + "quantize_affine_float8_non_decomposed", {"tensor": t("float32:4,6"), "scale": t("float32:4,1")}, [
        {"scale": t("float32:3,2")}, {"scale": t("float32:2")}, {"float8_dtype": "int8"},
    ]),
    (AO + "dequantize_affine_float8_non_decomposed", {"tensor": t("float8_e4m3fn:4,6"), "scale": t("float32:4,1")}, [{"scale": t("float32:3,2")}]),
]


def overload(op):
    namespace, _, rest = op.partition("::")
    name, _, variant = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), name), variant or "default")


def decode(value):
    if isinstance(value, dict):
        dtype, _, shape = value["tensor"].partition(":")
        return torch.ones([int(size) for size in shape.split(",") if size]).to(getattr(torch, dtype))
    return value


def runs(op, args):
    types = {a.name: str(a.type) for a in op._schema.arguments}
    named = {name: getattr(torch, v) if isinstance(v, str) and types[name] != "str" else decode(v) for name, v in args.items()}
    try:
        op(**named)
    except Exception:
        return False
    return True


def refused():
    for op, good, changes in REFUSED:
        function = overload(op)
        assert runs(function, good), f"{op} refuses {good}"
        for change in changes:
            assert not runs(function, {**good, **change}), f"{op} takes {change}"
            yield [op, {**good, **change}]


def text():
    every = sorted({str(s) for s in torch._C._jit_get_all_schemas()})
    schemas = [s for s in every if s.startswith(QD) or (s.startswith(AO) and s.partition("(")[0].endswith(TORCHAO))]
    body = {"schemas": schemas, "refused": list(refused())}
    parts = [f'"{key}":[\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]" for key, rows in body.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
