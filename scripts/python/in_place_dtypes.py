"""Writes packages/graph/src/passes/functionalize/in-place-dtypes.golden.json: what the functional forms of in-place ops compute in.

    python scripts/python/in_place_dtypes.py [--check]

One row for each dtype that the form without underscore gives where the in-place op accepts the call: op, arguments by name
(a tensor as `dtype:dimensions`, a number as its Python type, a dtype as itself), dtype of the result, dtype of what is
written. The first argument is what is written to.
"""

import json
import random
import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import torch

from generated import ROOT, write_or_check
from memory.drawn import Draw, Undrawable

TARGET = ROOT / "packages/graph/src/passes/functionalize/in-place-dtypes.golden.json"
DTYPES = [torch.uint8, torch.int8, torch.int32, torch.int64, torch.bool, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
# What draws numbers into memory, and what changes sizes or gradients, has no functional form by its name.
WITHOUT = {"resize_", "resize_as_", "set_", "requires_grad_", "rename_", "detach_", "sparse_resize_", "as_strided_"}
# An internal op that gives what it writes another dtype.
WITHOUT |= {"_add_relu_"}
TRIES, ROWS = 80, 10


class Call(Draw):
    """Arguments of one shape, or numbers, each of a dtype of its own."""

    def __init__(self, rnd: random.Random) -> None:
        super().__init__(rnd)
        self.shape = rnd.choice([(2, 3), (3, 3), (3,), ()])
        self.dtype = rnd.choice(DTYPES)

    def tensor(self) -> torch.Tensor:
        dtype = self.dtype if self.rnd.random() < 0.4 else self.rnd.choice(DTYPES)
        return torch.randint(0, 2, self.shape if self.rnd.random() < 0.8 else ()).to(dtype)

    def int(self, name: str) -> Any:
        return self.rnd.choice([None, *DTYPES]) if name == "dtype" else self.rnd.choice([0, 0, 1, -1])

    def value(self, of: Any, name: str) -> Any:
        if of.kind() == "NumberType":
            return self.rnd.choice([1, 2, 1.5, True])
        return super().value(of, name)


def pairs() -> Iterator[tuple[torch._ops.OpOverload, torch._ops.OpOverload]]:
    """Returns every in-place op and its functional variant."""
    for schema in sorted({str(s): s for s in torch._C._jit_get_all_schemas()}.items()):
        namespace, _, name = schema[1].name.partition("::")
        if namespace != "aten" or not name.endswith("_") or name in WITHOUT or not schema[1].arguments:
            continue
        first = schema[1].arguments[0]
        if str(first.type) != "Tensor" or first.alias_info is None or not first.alias_info.is_write:
            continue
        base = f"__{name[3:]}" if name.startswith("__i") else name[:-1]
        overload = schema[1].overload_name or "default"
        written, computed = (getattr(getattr(torch.ops.aten, n, None), overload, None) for n in (name, base))
        if written is not None and computed is not None:
            yield written, computed


def shown(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype)[6:]}:{value.dim()}"
    if isinstance(value, torch.dtype):
        return str(value)[6:]
    if isinstance(value, list):
        return [shown(item) for item in value]
    return type(value).__name__ if isinstance(value, int | float) else None


def rows() -> Iterator[list[Any]]:
    for written, computed in pairs():
        rnd, seen = random.Random(zlib.crc32(str(written).encode())), set()
        arguments = written._schema.arguments
        for _ in range(TRIES):
            torch.manual_seed(0)
            call = Call(rnd)
            try:
                values = [call.value(argument.type, argument.name) for argument in arguments]
            except Undrawable:
                break
            # A dtype that is left out is not the number that the schema takes it for.
            given = {a.name: v for a, v in zip(arguments, values, strict=True) if not (v is None or a.name == "generator")}
            target = given.pop(arguments[0].name)
            try:
                result = computed(target.clone(), **given).dtype
                kept = written(target.clone(), **given).dtype
            except Exception:
                continue
            row = [written._schema.name + (f".{written._schema.overload_name}" if written._schema.overload_name else "")]
            row += [{arguments[0].name: shown(target)} | {k: s for k, v in given.items() if (s := shown(v)) is not None}]
            key = json.dumps(row)
            if key not in seen and len(seen) < ROWS:
                seen.add(key)
                yield [*row, str(result)[6:], str(kept)[6:]]


def text() -> str:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows())
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
