"""Writes packages/registry/src/aten/pointwise/values.golden.json: what PyTorch's elementwise ops give, element by element.

    python scripts/python/pointwise.py [--check]

Each row is [op, dtype, arguments by name, result dtype, results]. "x", "y" and "z" stand for the tensors of
`inputs[dtype]`; inf and nan are strings.
"""

import json
import math

import numpy
import torch

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/registry/src/aten/pointwise/values.golden.json"
INF, NAN = math.inf, math.nan
FLOATS = [-INF, -20.5, -2.5, -1.0, -0.3, -0.0, 0.0, 0.3, 0.5, 1.0, 1.5, 2.5, 21.0, INF, NAN]
OTHERS = [-INF, 0.0, 2.5, -0.0, 1.5, 2.0, -2.0, 0.3, INF, -1.0, 1.5, NAN, 3.0, INF, 1.0]
INPUTS = {
    "float32": (FLOATS, OTHERS, OTHERS[::-1]),
    "float16": ([-2.5, -0.3, 0.1, 1.0, 2.5, 700.0], [0.1, 3.0, -0.7, 1.0, 2.0, 100.0], [1.0, 0.0, 1.0, 2.0, 3.0, 0.5]),
    "int32": ([-7, -2, -1, 0, 1, 2, 5, 7], [2, -3, 1, 5, 2, 2, -2, 3], [1, 1, 1, 1, 1, 1, 1, 1]),
    "bool": ([True, True, False, False], [True, False, True, False], [True, True, True, True]),
}
SKIP = {"aten::empty_like", "aten::bernoulli", "aten::rand_like", "aten::randn_like", "aten::alias", "aten::detach"}
EXTRA = [
    ("add.Tensor", {"alpha": 3}), ("sub.Tensor", {"alpha": 3}), ("rsub.Scalar", {"other": 2.5}),
    ("div.Tensor_mode", {"rounding_mode": "floor"}), ("div.Tensor_mode", {"rounding_mode": "trunc"}),
    *[("pow.Tensor_Scalar", {"exponent": e}) for e in (2, 3, 0.5, -0.5, -1.0, -2.0, 2.5, 1)],
    ("pow.Tensor_Tensor", {"exponent": "y"}), ("pow.Scalar", {"self": 2, "exponent": "x"}),
    *[(f"{op}.Scalar", {"other": 0.3}) for op in ("eq", "ne", "lt", "le", "gt", "ge")],
    *[(f"{op}.Scalar", {"other": 2}) for op in ("add", "sub", "mul", "div", "remainder", "fmod", "rsub", "eq", "bitwise_and")],
    ("clamp", {"min": -1, "max": 2}), ("clamp", {"min": None, "max": 0.5}), ("clamp.Tensor", {"min": "y", "max": "z"}),
    ("clamp_min", {"min": 0}), ("clamp_max", {"max": 0.3}), ("gelu", {"approximate": "tanh"}), ("elu", {"alpha": 1.5}),
    ("elu", {"alpha": 0.5, "scale": 2, "input_scale": 0.25}), ("celu", {"alpha": 0.5}), ("softplus", {"beta": 2, "threshold": 3}),
    ("threshold", {"threshold": 0.3, "value": 9}), ("leaky_relu", {"negative_slope": 0.2}), ("hardtanh", {"min_val": -2, "max_val": 1}),
    ("logit", {"eps": 0.1}), ("round.decimals", {"decimals": 1}), ("round.decimals", {"decimals": -1}),
    ("addcmul", {"tensor1": "y", "tensor2": "z", "value": 2}), ("addcdiv", {"tensor1": "y", "tensor2": "z", "value": 0.5}),
    ("lerp.Scalar", {"end": "y", "weight": 0.3}), ("lerp.Scalar", {"end": "y", "weight": 0.7}), ("lerp.Tensor", {"end": "y", "weight": "z"}),
    ("where.self", {"condition": "mask", "self": "x", "other": "y"}), ("where.ScalarSelf", {"condition": "mask", "self": 2, "other": "y"}),
    ("masked_fill.Scalar", {"mask": "mask", "value": 3}), ("isclose", {"other": "y", "equal_nan": True}), ("isclose", {"other": "x"}),
    ("heaviside", {"values": "y"}), ("threshold_backward", {"grad_output": "y", "self": "x", "threshold": 0.3}),
    ("sigmoid_backward", {"grad_output": "y", "output": "x"}), ("tanh_backward", {"grad_output": "y", "output": "x"}),
    *[(f"{op}_backward", {"grad_output": "z", "self": "x"}) for op in ("silu", "mish", "hardsigmoid", "hardswish", "gelu")],
    ("hardtanh_backward", {"grad_output": "z", "self": "x", "min_val": -1, "max_val": 1}),
    ("leaky_relu_backward", {"grad_output": "z", "self": "x", "negative_slope": 0.2, "self_is_result": False}),
    ("elu_backward", {"grad_output": "z", "alpha": 1.5, "scale": 2, "input_scale": 0.5, "is_result": False, "self_or_result": "x"}),
    ("softplus_backward", {"grad_output": "z", "self": "x", "beta": 2, "threshold": 3}),
    ("gelu_backward", {"grad_output": "z", "self": "x", "approximate": "tanh"}),
    ("logit_backward", {"grad_output": "z", "self": "x", "eps": 0.2}), ("logit_backward", {"grad_output": "z", "self": "x"}),
    ("native_dropout_backward", {"grad_output": "z", "mask": "mask", "scale": 2.0}),
    ("float_power.Tensor_Scalar", {"exponent": 2.5}), ("_prelu_kernel", {"weight": "y"}), ("hardshrink", {}), ("softshrink", {}),
    ("logaddexp", {"other": "x"}), ("xlogy.Scalar_Self", {"self": 0, "other": "x"}), ("remainder.Scalar_Tensor", {"self": 7, "other": "y"}),
]


def regular():
    """Every functional op of one or two tensors whose other arguments have defaults."""
    schemas = torch._C._jit_get_all_schemas()
    for name in sorted({s.name.removeprefix("aten::") for s in schemas if s.name.startswith("aten::")}):
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            op = getattr(packet, overload)
            args, returns = op._schema.arguments, op._schema.returns
            tagged = torch.Tag.pointwise in op.tags or name in SYNONYMS
            plain = tagged and len(returns) == 1 and str(returns[0].type) == "Tensor" and "out" not in overload
            names = [a.name for a in args if str(a.type) == "Tensor"]
            rest = [a for a in args if a.name not in names]
            if plain and not op._schema.is_mutable and names in (["self"], ["self", "other"]) and all(a.has_default_value() for a in rest):
                yield name if overload == "default" else f"{name}.{overload}", {"other": "y"} if len(names) == 2 else {}


SYNONYMS = {"divide", "multiply", "subtract", "negative", "absolute", "arctan2", "greater", "fix", "logical_and", "logical_or", "logical_xor", "logical_not", "log_sigmoid", "hardswish", "special_ndtr"}


def tensors(dtype):
    x, y, z = (torch.tensor(v, dtype=getattr(torch, dtype)) for v in INPUTS[dtype])
    return {"x": x, "y": y, "z": z, "mask": torch.arange(len(x)) % 3 == 0}


def encode(value):
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return {"float": value} if isinstance(value, float) else value


def element(value, dtype):
    if isinstance(value, float) and math.isfinite(value):
        return float(str(numpy.float32(value))) if dtype != torch.float64 else value
    return encode(value)


def row(op, dtype, options):
    name, _, overload = op.partition(".")
    function = getattr(getattr(torch.ops.aten, name), overload or "default")
    required = [a.name for a in function._schema.arguments if not a.has_default_value()]
    options = {k: v for k, v in {"self": "x", "other": "y"}.items() if k in required} | options
    known = tensors(dtype)
    values = {k: known[v] if isinstance(v, str) and v in known else v for k, v in options.items()}
    try:
        result = function(**values)
    except Exception:
        return None
    if result.dtype.is_complex or result.dim() != 1:
        return None
    named = {k: encode(v) for k, v in options.items()}
    return [f"aten::{op}", dtype, named, str(result.dtype)[6:], [element(v, result.dtype) for v in result.tolist()]]


def text():
    cases = [case for case in regular() if f"aten::{case[0].split('.')[0]}" not in SKIP] + EXTRA
    rows = [row(op, dtype, options) for op, options in cases for dtype in INPUTS]
    inputs = {d: dict(zip("xyz", ([encode(v) if not isinstance(v, float) or not math.isfinite(v) else v for v in c] for c in cs), strict=False)) for d, cs in INPUTS.items()}
    body = ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows if r is not None)
    return f'{{"inputs":{json.dumps(inputs, separators=(",", ":"))},\n"rows":[\n{body}\n]}}\n'


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
