"""Writes packages/conformance/src/random/streams.json: what random ops draw, one after another, after a seed.

python scripts/python/random_streams.py [--check]

Each stream is a list of cases as in `cases/`, run in order on the default generator of the CPU. PyTorch with MKL draws
`bernoulli` and `exponential` elsewhere on CPUs by Intel, so this needs another CPU there (see `draws_from_mersenne_twister`).
"""

import json
import sys

import torch

from generated import ROOT, write_or_check
from goldens import run
from opcase import b8, bf16, c64, case, f16, f32, f64, i8, i16, i32, ints, t, take_cases, u8

TARGET = ROOT / "packages/conformance/src/random/streams.json"
# Numbers are drawn with another number of bits for each dtype. Fewer than 16 normal numbers are made one by one, more in
# blocks of 16, of which the last is drawn again where the count is no multiple of it.
COUNTS = [1, 2, 7, 15, 16, 17, 31, 32, 37, 250]
FLOATS = {"float32": f32, "float64": f64, "float16": f16, "bfloat16": bf16}

STREAMS: list[tuple[str, int, list]] = []


def stream(name: str, seed: int = 7) -> None:
    """Gathers the cases written since the last call."""
    STREAMS.append((name, seed, take_cases()))


for dtype_name, dtype in FLOATS.items():
    for count in COUNTS:
        case("rand", f"{count}", [count], dtype=dtype)
    stream(f"rand of {dtype_name}")
    for count in COUNTS:
        case("randn", f"{count}", [count], dtype=dtype)
    stream(f"randn of {dtype_name}")
    case("uniform", "range", t(5, 7, dtype=dtype), -2.5, 3.25)
    case("normal_functional", "few", t(3, dtype=dtype), 0.5, 2.0)
    case("normal_functional", "many", t(5, 7, dtype=dtype), 0.5, 2.0)
    case("rand_like", "", t(3, 5, dtype=dtype))
    case("randn_like", "", t(3, 5, dtype=dtype))
    case("bernoulli", "", t(3, 5, dtype=dtype, lo=0, hi=1))
    case("bernoulli.p", "", t(3, 5, dtype=dtype), 0.3)
    case("exponential", "", t(3, 5, dtype=dtype), 1.5)
    case("cauchy", "", t(3, 5, dtype=dtype), 0.5, 1.5)
    case("log_normal", "few", t(3, dtype=dtype), 0.25, 0.5)
    case("log_normal", "many", t(5, 5, dtype=dtype), 0.25, 0.5)
    case("geometric", "", t(3, 5, dtype=dtype), 0.3)
    case("poisson", "", t(5, 7, dtype=dtype, lo=0, hi=20))
    if dtype in (f32, f64):
        case("binomial", "", t(5, 7, dtype=dtype, lo=0, hi=60).floor(), t(7, dtype=dtype, lo=0, hi=1))
        case("_standard_gamma", "", t(5, 7, dtype=dtype, lo=0.1, hi=5))
        case("_sample_dirichlet", "", t(3, 5, dtype=dtype, lo=0.1, hi=5))
        case("rrelu_with_noise_functional", "training", t(3, 5, dtype=dtype), t(3, 5, dtype=dtype), 0.1, 0.3, True)
    case("rand", "what follows", [3], dtype=dtype)
    stream(f"distributions of {dtype_name}")

for seed in (0, 2**32 - 1, 2**32 + 7, 2**63, -1):
    case("rand", "", [5])
    case("randn", "", [5])
    stream(f"seed {seed}", seed)

case("randn", "odd", [3])
case("randn", "the second number of a pair is kept", [2])
case("rand", "between", [2])
case("randn", "many do not", [16])
case("randn", "few after many", [1])
stream("pairs of normal numbers")

case("randn", "float32", [3])
case("randn", "float64 takes the number that is kept", [2], dtype=f64)
stream("pairs of normal numbers across dtypes")

for high in (1, 2, 1000, 2**28 - 1, 2**28, 2**31 - 1):
    case("randint", f"below {high}", high, [5])
case("randint.low", "negative", -7, 7, [5])
for name, dtype in {"uint8": u8, "int8": i8, "int16": i16, "int32": i32, "float32": f32}.items():
    case("randint.low", name, 2, 100, [5], dtype=dtype)
case("randint_like", "", ints(3, 5), 10)
case("randint_like.low_dtype", "", t(3, 5), -3, 10)
for name, dtype in {"uint8": u8, "int8": i8, "int16": i16, "int32": i32, "bool": b8, **FLOATS}.items():
    case("random", name, torch.zeros(5, dtype=dtype))
case("random.to", "", t(3, 5), 10)
case("random.from", "", ints(3, 5), -3, 10)
stream("integers")

case("random", "int64", ints(5))
case("randint", "2^32 and more", 2**40 + 1, [5])
stream("integers of 64 bits")

for count in (0, 1, 2, 37):
    case("randperm", f"{count}", count)
case("randperm", "int32", 17, dtype=i32)
case("rand", "what follows", [2])
stream("permutations")

case("multinomial", "one", t(7, lo=0.1), 1)
case("multinomial", "one of rows", t(3, 7, lo=0.1, hi=2), 1, True)
case("multinomial", "some", t(3, 7, lo=0.1, hi=2), 4)
case("multinomial", "with replacement", t(3, 7, lo=0.1, hi=2), 11, True)
case("multinomial", "a vector with replacement", torch.tensor([0.0, 1, 0, 2, 0]), 11, True)
case("multinomial", "float16", t(2, 5, dtype=f16, lo=0.1, hi=2), 3)
case("rand", "what follows", [2])
stream("samples")

case("dropout", "", t(3, 5), 0.3, True)
case("dropout", "not training", t(3, 5), 0.3, False)
case("dropout", "all", t(3, 5), 1.0, True)
case("native_dropout", "", t(3, 5), 0.3, True)
case("feature_dropout", "", t(2, 5, 3), 0.5, True)
case("alpha_dropout", "", t(3, 5), 0.3, True)
case("feature_alpha_dropout", "", t(2, 5, 3), 0.5, True)
case("native_dropout", "float16", t(3, 5, dtype=f16), 0.3, True)
case("rrelu", "", t(3, 5), 0.1, 0.3, True)
case("bernoulli.p", "int64", ints(3, 5), 0.5)
case("bernoulli.Tensor", "", t(3, 5), t(3, 5, lo=0, hi=1))
case("rand", "what follows", [2])
stream("dropout")

case("normal.Tensor_float", "", t(3, 7), 2.0)
case("normal.float_Tensor", "", 0.5, t(3, 7, lo=0.5))
case("normal.Tensor_Tensor", "", t(3, 1), t(7, lo=0.5))
case("normal.float_float", "", 0.5, 2.0, [3, 7])
case("randn", "complex", [3, 7], dtype=c64)
case("rand", "complex", [3], dtype=c64)
case("geometric", "int64", ints(3, 5), 0.3)
stream("normal numbers of tensors")

L63 = 2**63
for low, high in ((-L63, L63 - 1), (0, L63 - 1), (2**55, 2**55 + 10), (-(2**53), 2**53), (-(2**62), 2**62)):
    case("randint.low", f"from {low} to {high}", low, high, [5])
case("randint", "2^60", 2**60, [5])
case("randint_like", "2^60", ints(3), 2**60)
case("randint_like.low_dtype", "all", ints(3), -L63, L63 - 1)
case("random.to", "2^60", ints(3), 2**60)
case("random.to", "2^60 of float64", t(3, dtype=f64), 2**60)
case("random.from", "2^54 on", ints(3), 2**54, 2**54 + 3)
for name, dtype in FLOATS.items():
    if dtype is not f16:
        case("randint.low", f"{name} beyond 2^55", 2**55, 2**55 + 2**48 + 1, [9], dtype=dtype)
        case("randint.low", f"{name} below -2^58", -(2**60), -(2**58), [9], dtype=dtype)
        case("random.from", f"all of {name}", t(9, dtype=dtype), -L63, None)
    case("random.from", f"3 and more of {name}", t(5, dtype=dtype), 3, None)
for name, dtype in {"uint8": u8, "int8": i8, "int16": i16, "int32": i32, "int64": torch.int64}.items():
    case("random.from", f"3 and more of {name}", torch.zeros(5, dtype=dtype), 3, None)
for first in (0, 1):
    case("random.from", f"bool from {first}", torch.zeros(5, dtype=b8), first, None)
case("random.from", "negative int64 and more", ints(5), -5, None)
case("random.from", "all of int64", ints(5), -L63, None)
case("rand", "what follows", [2])
stream("integers beyond 2^53")


def draws_from_mersenne_twister() -> bool:
    """Whether `bernoulli_` draws from the generator for each element; with MKL on a CPU by Intel it does not."""
    torch.manual_seed(7)
    drawn = torch.empty(64).bernoulli_(0.5)
    torch.manual_seed(7)
    return torch.equal(drawn, (torch.rand(64, dtype=f64) < 0.5).float())


def text() -> str:
    if not draws_from_mersenne_twister():
        sys.exit("PyTorch draws bernoulli from MKL's generator here: run this on a CPU that is not by Intel")
    torch.set_num_threads(1)
    lines = []
    for name, seed, cases in STREAMS:
        torch.manual_seed(seed)
        calls = [run(each) for each in cases]
        lines.append(json.dumps({"name": name, "seed": str(seed), "calls": calls}, separators=(",", ":"), allow_nan=False))
    return '{"torch":"' + torch.__version__.split("+")[0] + '","streams":[\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
