"""One way in which PyTorch runs a model, for the benchmark: `python subject.py KIND MODELS NAME THREADS`.

KIND is eager, exported (`ep.module()`) or compiled (`torch.compile` with freezing). When ready it prints a JSON line with
the seconds that loading and the first answer took; then it runs once per line of input and prints the milliseconds.
"""

import json
import os
import sys
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../scripts/python"))

import torch
import torch.export

if sys.argv[1] == "exported":
    import transformers.modeling_outputs  # noqa: F401  says how its results are flattened
else:
    from export_bench import BENCHES
from safetensors.torch import load_file


def main() -> None:
    warnings.filterwarnings("ignore")
    kind, folder, name, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    path = os.path.join(folder, name)
    inputs = [value for _, value in sorted(load_file(path + ".inputs.safetensors").items(), key=lambda item: int(item[0]))]
    start = time.perf_counter()
    if kind == "exported":
        module = torch.export.load(path + ".pt2").module(check_guards=False)
        call = module
    else:
        torch.manual_seed(20)
        example = BENCHES[name].call()
        module = BENCHES[name].build(example)
        names = list(example.kwargs or {})
        if kind == "compiled":
            torch._inductor.config.freezing = True
            module = torch.compile(module)
        call = lambda *values: module(**dict(zip(names, values, strict=False))) if names else module(*values)  # noqa: E731
    with torch.inference_mode() if kind == "eager" else torch.no_grad():
        seconds = time.perf_counter() - start
        if kind == "exported":
            spec = module._in_spec
            args, kwargs = torch.utils._pytree.tree_unflatten(inputs, spec)
            call = lambda *_values: module(*args, **kwargs)  # noqa: E731
        call(*inputs)
        print(json.dumps({"load": seconds, "first": time.perf_counter() - start}), flush=True)
        for _ in sys.stdin:
            began = time.perf_counter()
            call(*inputs)
            print((time.perf_counter() - began) * 1000, flush=True)


main()
