"""Records what PyTorch's eager mode makes of exported programs: `python eager_outputs.py DIR [--only PART ...] [--threads N]`.

For each NAME.pt2 of DIR and the inputs that were recorded of it, every recorded call is made in order with
`torch.export.load(...).module()`, node by node, and the outputs are written to NAME.eager.safetensors. NAME.expected
holds the outputs of the module before it was exported, whose bits may differ: a decomposition may add up in another order.
"""

import argparse
import glob
import importlib
import json
import os
import time

import torch
from torch.utils import _pytree as pytree

import zoo  # noqa: F401 - what its models return is registered with their libraries
from pt2files import recorded_file
from tensor_files import load_tensors, save_tensors


def outputs_of(path: str) -> dict[str, torch.Tensor]:
    """The tensors that every recorded call of a program returns."""
    base = path.removesuffix(".pt2")
    inputs = load_tensors(recorded_file(base, "inputs"))
    with open(f"{base}.json") as file:
        calls = json.load(file)["calls"]
    program = torch.export.load(path)
    module, spec = program.module(), program.call_spec.in_spec
    outputs: dict[str, torch.Tensor] = {}
    for index, call in enumerate(calls):
        prefix = f"call{index}." if index else ""
        leaves = [inputs.get(f"{prefix}{i}", call["non_tensor_inputs"].get(str(i))) for i in range(spec.num_leaves)]
        args, kwargs = pytree.tree_unflatten(leaves, spec)
        with torch.no_grad():
            results = pytree.tree_leaves(module(*args, **kwargs))
        outputs |= {f"{prefix}{i}": leaf.clone() for i, leaf in enumerate(results) if isinstance(leaf, torch.Tensor)}
    return outputs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="+", default=[""], metavar="PART")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--import", dest="modules", nargs="+", default=[], metavar="MODULE", help="modules that register output types")
    options = parser.parse_args()
    for module in options.modules:
        importlib.import_module(module)
    torch.set_num_threads(options.threads)
    for path in sorted(glob.glob(os.path.join(options.folder, "*.pt2"))):
        name = os.path.basename(path).removesuffix(".pt2")
        if not any(part in name for part in options.only):
            continue
        start = time.time()
        outputs = outputs_of(path)
        save_tensors(os.path.join(options.folder, f"{name}.eager.safetensors"), outputs)
        print(f"{name:32} {len(outputs):3} outputs {time.time() - start:6.1f}s", flush=True)


if __name__ == "__main__":
    main()
