"""Writes packages/eager/src/overloads.golden.json: which overloads PyTorch's argument parser chooses.

    python scripts/python/overloads.py [--check]

Each call of a function of `torch` is made, and the profiler says which operator it called first. Where PyTorch refuses
the arguments (a `TypeError`), `op` is null.
"""

import itertools
import json
import warnings

import torch
from torch.profiler import ProfilerActivity, _ExperimentalConfig, profile

from generated import ROOT, write_or_check

TARGET = ROOT / "packages/eager/src/overloads.golden.json"

warnings.filterwarnings("ignore")


class Tensor:
    """A tensor among the arguments of a call."""

    def __init__(self, dtype, *shape):
        self.dtype, self.shape = dtype, shape

    def make(self):
        return torch.ones(self.shape, dtype=getattr(torch, self.dtype))


class Word:
    """A dtype, a layout, a memory format or a device."""

    def __init__(self, value):
        self.value = value


X, Y, V = Tensor("float32", 2, 3), Tensor("float32", 2, 3), Tensor("float32", 3)
M, N, C = Tensor("float32", 3, 3), Tensor("float32", 1, 3, 3), Tensor("float32", 1, 2, 6, 6)
L, J, B = Tensor("int64", 2, 3), Tensor("int64", 3), Tensor("bool", 2, 3)
S, SI = Tensor("float32"), Tensor("int64")
F64, I32 = Word(torch.float64), Word(torch.int32)

BINARY = ["add", "sub", "mul", "div", "multiply", "divide", "subtract", "true_divide", "floor_divide", "remainder", "fmod", "pow", "eq", "ne", "lt", "le", "gt", "ge", "greater", "less", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "float_power", "xlogy", "maximum", "minimum", "fmax", "atan2", "rsub", "logical_and", "copysign", "where", "max", "min", "dot"]
OPERANDS = [(X, Y), (X, 2), (X, 2.5), (2, X), (X, S), (S, X), (X, True), (L, 2), (L, J), (2, 3), (X,), (X, None)]

# The calls of other functions: positional arguments, then a dict of keyword arguments.
CALLS = {
    "add": [(X, Y, {"alpha": 2}), (X, 1, {"alpha": 0.5}), (X, {"other": Y}), ({"input": X, "other": 2},), (X, Y, 2)],
    "sub": [(X, Y, {"alpha": 2}), (X, 1, {"alpha": 2})],
    "rsub": [(X, 1, {"alpha": 2}), (X, 1, 2)],
    "div": [(X, Y, {"rounding_mode": "floor"}), (X, 2, {"rounding_mode": "trunc"}), (X, 2, {"rounding_mode": None})],
    "divide": [(X, 2, {"rounding_mode": "floor"})],
    "where": [(B, X, Y), (B, X, 1), (B, 1, X), (B, 1, 2), (B, X, S), (B,)],
    "clamp": [(X, 0), (X, 0, 1), (X, {"max": 1}), (X, {"min": S}), (X, S, S), (X, 0, S), (X, None, 1), (X, 0.5, 1.5)],
    "clip": [(X, 0, 1), (X, S)],
    "clamp_min": [(X, 0), (X, S)],
    "clamp_max": [(X, 0), (X, Y)],
    "sum": [(X,), (X, 0), (X, [0, 1]), (X, [0], True), (X, {"dim": 1}), (X, {"dtype": F64}), (X, 0, {"dtype": F64}),
            (X, None), (X, {"keepdim": True}), (X, {"dim": [0], "keepdim": True}), (X, 0.5), (X, [0.5]), (X, True)],
    "mean": [(X,), (X, 0), (X, [0, 1], True), (X, {"dtype": F64}), (X, {"dim": -1, "dtype": F64})],
    "prod": [(X,), (X, 0), (X, 0, True), (X, {"dtype": F64}), (X, [0])],
    "any": [(B,), (B, 0), (B, [0, 1]), (B, 0, True), (B, {"dim": [0]})],
    "all": [(B,), (B, 0), (B, [0, 1]), (B, {"dim": None})],
    "max": [(X,), (X, 0), (X, 0, True), (X, Y), (X, {"dim": 0}), (X, {"other": Y}), (X, S), (X, 1.5)],
    "min": [(X,), (X, 0), (X, 0, True), (X, Y), (X, {"dim": 0, "keepdim": True})],
    "amax": [(X,), (X, 0), (X, [0, 1], True)],
    "aminmax": [(X,), (X, {"dim": 0})],
    "argmax": [(X,), (X, 0), (X, {"dim": 1, "keepdim": True}), (X, None)],
    "median": [(X,), (X, 0), (X, {"dim": 1, "keepdim": True})],
    "mode": [(X,), (X, 0)],
    "kthvalue": [(X, 1), (X, 1, 0), (X, {"k": 1, "keepdim": True})],
    "topk": [(X, 1), (X, 1, 0), (X, 1, {"dim": -1, "largest": False}), (X, 1.0), (X,)],
    "sort": [(X,), (X, 0), (X, 0, True), (X, {"dim": 0}), (X, {"stable": True}), (X, {"stable": True, "dim": 0})],
    "argsort": [(X,), (X, 0), (X, {"stable": True}), (X, {"dim": 0, "descending": True})],
    "var": [(X,), (X, 0), (X, True), (X, [0], True), (X, {"correction": 0}), (X, 0, {"correction": 1}),
            (X, {"unbiased": False}), (X, 0, False), (X, 0, True, True)],
    "std": [(X,), (X, 0), (X, False), (X, {"dim": [0], "correction": 0})],
    "var_mean": [(X,), (X, 0), (X, {"correction": 0}), (X, True)],
    "std_mean": [(X,), (X, [0, 1])],
    "logsumexp": [(X, 0), (X, [0, 1]), (X, {"dim": 0, "keepdim": True})],
    "softmax": [(X, 0), (X, 0, F64), (X, {"dim": 0}), (X, {"dim": 0, "dtype": F64})],
    "log_softmax": [(X, 0), (X, {"dim": 1, "dtype": F64})],
    "cumsum": [(X, 0), (X, {"dim": 0, "dtype": F64}), (X,)],
    "cummax": [(X, 0)],
    "nansum": [(X,), (X, 0)],
    "count_nonzero": [(X,), (X, 0), (X, [0, 1]), (X, {"dim": 0})],
    "relu": [(X,), (2,), (X, 1)],
    "threshold": [(X, 1, 2), (X, {"threshold": 0.5, "value": 0})],
    "celu": [(X,), (X, 0.5), (X, {"alpha": 2})],
    "round": [(X,), (X, {"decimals": 1}), (X, 1)],
    "logit": [(X,), (X, 0.1)],
    "nan_to_num": [(X,), (X, 1.0), (X, {"posinf": 2.0})],
    "lerp": [(X, Y, 0.5), (X, Y, Y), (X, Y, S), (X, Y, 1), (X, 1, 0.5)],
    "addcmul": [(X, Y, Y), (X, Y, Y, {"value": 2}), (X, Y, Y, 2)],
    "addcdiv": [(X, Y, Y, {"value": 0.5})],
    "addmm": [(M, M, M), (M, M, M, {"beta": 2, "alpha": 0.5}), (V, M, M)],
    "baddbmm": [(N, N, N), (N, N, N, {"beta": 0})],
    "matmul": [(M, M), (M, V), (M, 2)],
    "mm": [(M, M)],
    "cat": [([X, Y],), ([X, Y], 1), ([X, Y], {"dim": 1}), (X,), ([X, 1],), ([],)],
    "concat": [([X, Y], 1)],
    "stack": [([X, Y],), ([X, Y], -1), ([X, Y], {"dim": 1})],
    "chunk": [(X, 2), (X, 2, 1), (X, {"chunks": 2})],
    "tensor_split": [(X, 2), (X, [1]), (X, SI), (X, 2, 1), (X, {"indices": [1], "dim": 1}), (X, {"sections": 2})],
    "hsplit": [(X, 3), (X, [1])],
    "unbind": [(X,), (X, 1)],
    "narrow": [(X, 0, 0, 1), (X, 0, SI, 1)],
    "select": [(X, 0, 0), (X, {"dim": 0, "index": 0})],
    "index_select": [(X, 0, SI), (X, 1, J), (X, {"dim": 0, "index": SI})],
    "index_add": [(X, 1, J, X), (X, 1, J, X, {"alpha": 2})],
    "index_fill": [(X, 1, SI, 2), (X, 1, SI, S), (X, 1, SI, 0.5)],
    "index_copy": [(X, 1, J, X)],
    "gather": [(X, 0, L), (X, 0, L, {"sparse_grad": False})],
    "scatter": [(X, 0, L, X), (X, 0, L, 1), (X, 0, L, X, {"reduce": "add"}), (X, 0, L, 1.5, {"reduce": "multiply"}),
                (X, {"dim": 0, "index": L, "value": 2})],
    "scatter_add": [(X, 0, L, X)],
    "scatter_reduce": [(X, 0, L, X, "sum"), (X, 0, L, X, {"reduce": "amax", "include_self": False})],
    "masked_fill": [(X, B, 1), (X, B, S), (X, B, 0.5), (X, {"mask": B, "value": 1})],
    "masked_select": [(X, B)],
    "take": [(X, J)],
    "repeat_interleave": [(X, 2), (X, J, 1), (J,), (X, 2, 0), (X, 2, {"dim": 0, "output_size": 4})],
    "tile": [(X, [2, 1])],
    "flip": [(X, [0]), (X, 0)],
    "roll": [(X, 1), (X, 1, 0), (X, [1, 2], [0, 1])],
    "rot90": [(X,), (X, 1, [0, 1])],
    "squeeze": [(N,), (N, 0), (N, [0]), (N, {"dim": 0})],
    "unsqueeze": [(X, 0)],
    "transpose": [(X, 0, 1), (X, {"dim0": 0, "dim1": 1})],
    "permute": [(X, [1, 0]), (X, {"dims": [1, 0]})],
    "movedim": [(X, 0, 1), (X, [0, 1], [1, 0])],
    "reshape": [(X, [3, 2]), (X, 6)],
    "flatten": [(X,), (X, 0), (X, 0, 1), (X, {"start_dim": 0})],
    "unflatten": [(X, 1, [3, 1])],
    "expand_copy": [(V, [2, 3])],
    "diagonal": [(X,), (X, 1), (X, 0, 1, 0)],
    "diag_embed": [(V,), (V, {"offset": 1})],
    "diff": [(X,), (X, 1, 0), (X, {"dim": 0})],
    "tril": [(X,), (X, 1)],
    "trace": [(M,)],
    "cross": [(M, M), (M, M, 0), (M, M, {"dim": 1})],
    "bincount": [(J,), (J, V), (J, {"minlength": 5})],
    "bucketize": [(X, V), (2, V), (X, V, {"right": True})],
    "searchsorted": [(V, V), (V, 2), (V, V, {"right": True}), (V, 2.5, {"side": "left"})],
    "histc": [(X,), (X, 4), (X, {"bins": 4, "max": 2})],
    "isclose": [(X, Y), (X, Y, 0.1), (X, Y, {"equal_nan": True})],
    "isin": [(X, V), (X, 1), (1, X), (X, V, {"invert": True})],
    "allclose": [(X, Y)],
    "equal": [(X, Y)],
    "nonzero": [(X,)],
    "full": [([2, 3], 1), ([2, 3], 1.5), ([2], 1, {"dtype": F64}), ([2], True), ({"size": [2], "fill_value": 1},)],
    "full_like": [(X, 1), (X, 1.5, {"dtype": F64})],
    "zeros": [([2, 3],), ([2], {"dtype": I32}), ({"size": [2]},)],
    "ones_like": [(X,), (X, {"dtype": F64})],
    "empty_like": [(X, {"dtype": F64})],
    "arange": [(5,), (1, 5), (1, 5, 2), (5, {"dtype": F64}), (0.0, 1.0, 0.25), ({"end": 5},), ({"start": 1, "end": 5},)],
    "linspace": [(0, 1, 5), (0.0, S, 5), (S, S, 5), ({"start": 0, "end": 1, "steps": 3},)],
    "logspace": [(0, 1, 5), (0, 1, 5, 2.0)],
    "eye": [(3,), (3, 4), (3, {"dtype": F64})],
    "tril_indices": [(2, 2), (2, 2, 1)],
    "rand": [([2, 3],), ([2], {"dtype": F64})],
    "rand_like": [(X,)],
    "randint": [(5, [2]), (1, 5, [2]), (5, [2], {"dtype": I32}), ({"low": 1, "high": 5, "size": [2]},)],
    "randint_like": [(X, 5), (X, 1, 5), (X, S)],
    "randn": [([2, 3],)],
    "randperm": [(5,), (5, {"dtype": I32})],
    "normal": [(0.0, 1.0, [2]), (X, 1.0), (0.0, X), (X, X), (X,)],
    "bernoulli": [(X,), (X, 0.5)],
    "multinomial": [(V, 1), (V, 2, True)],
    "dropout": [(X, 0.5, True), (X, {"p": 0.5, "train": False})],
    "conv1d": [(N, N), (N, N, {"padding": "same"}), (N, N, None, 1, 1), (N, N, {"padding": [1]})],
    "conv2d": [(C, C), (C, C, {"padding": "valid"}), (C, C, None, [1, 1], [1, 1], 1, 1), (C, C, {"stride": 2})],
    "max_pool2d": [(C, 2), (C, [2, 2], [1, 1]), (C, 2, {"stride": 1, "padding": 1, "ceil_mode": True})],
    "avg_pool1d": [(N, 2), (N, [2], {"stride": 1})],
    "adaptive_avg_pool1d": [(N, 2)],
    "layer_norm": [(X, [3]), (X, [3], V, V, 1e-5), (X, {"normalized_shape": [3], "eps": 0.1})],
    "group_norm": [(C, 1), (C, 2, {"eps": 0.1})],
    "batch_norm": [(C, None, None, None, None, True, 0.1, 1e-5, False)],
    "embedding": [(M, J), (M, J, {"padding_idx": 1})],
    "bmm": [(N, N)],
    "outer": [(V, V)],
    "kron": [(X, Y)],
    "renorm": [(X, 2, 0, 1), (X, 1.5, 0, 0.5)],
    "quantile": [(V, 0.5), (V, S), (V, 0.5, {"dim": 0, "interpolation": "lower"})],
    "polygamma": [(1, X)],
    "ldexp": [(X, L)],
    "heaviside": [(X, Y)],
    "gcd": [(L, J)],
    "sinc": [(X,)],
}


def call(name, given):
    """Returns the operator that a function of `torch` calls; null where PyTorch's parser refuses the arguments."""
    positional = [plain(arg) for arg in given if not isinstance(arg, dict)]
    keywords = {key: plain(arg) for part in given if isinstance(part, dict) for key, arg in part.items()}
    config = _ExperimentalConfig(capture_overload_names=True)
    refused = False
    with profile(activities=[ProfilerActivity.CPU], experimental_config=config) as profiler:
        try:
            getattr(torch, name)(*positional, **keywords)
        except TypeError:
            refused = True
        except (RuntimeError, IndexError, NotImplementedError, ValueError):
            pass  # The operator refuses what the parser took.
    if refused:
        return None
    events = [event for event in profiler.events() if event.name == f"aten::{name}"]
    if not events:
        return ""
    return events[0].name + (f".{events[0].overload_name}" if events[0].overload_name else "")


def plain(arg):
    if isinstance(arg, Tensor):
        return arg.make()
    if isinstance(arg, Word):
        return arg.value
    return [plain(item) for item in arg] if isinstance(arg, list) else arg


def encoded(arg):
    if isinstance(arg, Tensor):
        return {"tensor": arg.dtype, "shape": arg.shape}
    if isinstance(arg, Word):
        return str(arg.value).removeprefix("torch.")
    if isinstance(arg, float):
        return {"float": arg}
    if isinstance(arg, dict):
        return {"keywords": {key: encoded(value) for key, value in arg.items()}}
    return [encoded(item) for item in arg] if isinstance(arg, list) else arg


def text() -> str:
    calls = [*itertools.product(BINARY, OPERANDS), *((name, given) for name in CALLS for given in CALLS[name])]
    rows = []
    for name, given in calls:
        op = call(name, given)
        # Some functions are Python and call other operators.
        if op != "":
            rows.append(json.dumps({"op": op, "name": name, "args": [encoded(arg) for arg in given]}))
    return "[\n" + ",\n".join(rows) + "\n]\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
