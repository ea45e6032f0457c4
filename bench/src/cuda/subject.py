"""PyTorch on a GPU, for the benchmark: `python subject.py FOLDER NAME`.

Writes NAME.b1.pt2 and NAME.b32.pt2 with inputs and results, for batches of 1 and 32, then prints a JSON line with the errors of
eager mode by batch, and another one when the model is compiled. After that it answers lines `KIND BATCH`, where KIND is eager or
compiled (`torch.compile` with frozen weights), with the median milliseconds of 20 runs, each from its call to the end of its
work.
"""

import copy
import functools
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../scripts/python"))

import torch
import torch.export

from export_bench import BENCHES
from pt2files import Call, make_portable
from tensor_files import save_tensors

BATCHES = (1, 32)
DEVICE = "cuda"


def joined(calls: list[Call]) -> Call:
    """One call for a batch of calls."""
    kwargs = {name: torch.cat([call.kwargs[name] for call in calls]) for name in calls[0].kwargs}
    return Call(tuple(torch.cat(parts) for parts in zip(*(call.args for call in calls), strict=True)), kwargs)


def moved(call: Call) -> Call:
    return Call(tuple(t.to(DEVICE) for t in call.args), {name: t.to(DEVICE) for name, t in call.kwargs.items()})


def leaves(value: object) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def error(given: list[torch.Tensor], wanted: list[torch.Tensor]) -> float:
    """The largest error of an element, as a fraction of the largest element of its tensor."""
    return max(((a.double() - b.double()).abs().max() / b.double().abs().max()).item() for a, b in zip(given, wanted, strict=True))


def measured(run: Callable[[], object]) -> float:
    def once() -> float:
        began = time.perf_counter()
        run()
        torch.cuda.synchronize()
        return (time.perf_counter() - began) * 1000

    for _ in range(5):
        once()
    return statistics.median(once() for _ in range(20))


def main() -> None:
    warnings.filterwarnings("ignore")
    folder, name = sys.argv[1:]
    bench = BENCHES[name]
    torch.manual_seed(20)
    first = bench.call()
    module = bench.build(first)
    calls = {batch: joined([bench.call() for _ in range(batch)]) for batch in BATCHES}
    torch._inductor.config.freezing = True
    kinds: dict[str, torch.nn.Module] = {}
    errors: dict[str, float] = {}
    with torch.no_grad():
        for batch, call in calls.items():
            program = torch.export.export(module, call.args, call.kwargs, strict=False)
            path = os.path.join(folder, f"{name}.b{batch}")
            torch.export.save(make_portable(program), f"{path}.pt2")
            calls[batch] = moved(call)
        kinds["eager"] = module.to(DEVICE)
        for batch, call in calls.items():
            path = os.path.join(folder, f"{name}.b{batch}")
            torch.backends.cudnn.allow_tf32 = False
            wanted = leaves(module(*call.args, **call.kwargs))
            torch.backends.cudnn.allow_tf32 = True
            errors[str(batch)] = error(leaves(module(*call.args, **call.kwargs)), wanted)
            save_tensors(f"{path}.inputs.safetensors", {str(i): t for i, t in enumerate((*call.args, *call.kwargs.values()))})
            save_tensors(f"{path}.expected.safetensors", {str(i): t for i, t in enumerate(wanted)})
        print(json.dumps(errors), flush=True)
        kinds["compiled"] = torch.compile(copy.deepcopy(module), dynamic=False)
        for call in calls.values():
            kinds["compiled"](*call.args, **call.kwargs)
        torch.cuda.empty_cache()  # other models share the GPU
        print(json.dumps({"compiled": True}), flush=True)
        for line in sys.stdin:
            kind, batch = line.split()
            call = calls[int(batch)]
            with torch.inference_mode(kind == "eager"):
                print(measured(functools.partial(kinds[kind], *call.args, **call.kwargs)), flush=True)


main()
