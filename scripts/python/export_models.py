"""Exports the models the backends are checked on: `python export_models.py [OUT_DIR] [--only NAME ...] [--small]`.

Each model is written twice with the same weights: NAME.pt2 (training IR, what `torch.export.export` gives) and
NAME_aten.pt2 (ATen IR, after `run_decompositions()`), with inputs and PyTorch's outputs beside (see pt2files.py).
Each file is loaded again by PyTorch and must reproduce the recorded outputs. A model that fails is reported and does not
stop the rest; the exit status is then 1.
"""

import argparse
import os
import sys
import time
import traceback
import zlib

import torch

from pt2files import Recording, check_program, export_dialects, record, save_program
from zoo import SPECS
from zoo.spec import Spec
from zoo.weights import enliven


def describe(recording: Recording) -> str:
    """Size and spread of the floating outputs: a model whose outputs are all alike checks nothing."""
    outputs = [t.double() for t in recording.expected.values() if t.is_floating_point() and t.numel() > 1]
    spread = min(t.std().item() for t in outputs)
    return f"std {spread:.3g} max {max(t.abs().max().item() for t in outputs):.3g}"


def export_one(spec: Spec, folder: str, small: bool) -> str:
    """Writes both dialects of one model and returns its line of the table."""
    torch.manual_seed(zlib.crc32(spec.name.encode()))
    calls = spec.calls()
    module = enliven(spec.build(small), calls[0])
    recording = record(module, calls)
    notes = [describe(recording)]
    for suffix, make in export_dialects(module, calls[0], spec.dynamic()).items():
        program = make()
        path = save_program(folder, spec.name + suffix, program, recording)
        nodes = sum(n.op == "call_function" for n in program.graph.nodes)
        error = check_program(path, calls, recording)
        notes.append(f"{suffix.strip('_') or 'training'} {nodes} ops {os.path.getsize(path) / 1e6:.1f} MB error {error:.1e}")
    return ", ".join(notes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=os.path.join(os.path.dirname(__file__), "../../.cache/models"))
    parser.add_argument("--only", nargs="+", choices=list(SPECS), metavar="NAME", default=list(SPECS))
    parser.add_argument("--small", action="store_true", help="shrink layers that are only big (the heads of alexnet and vgg11)")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    failed = 0
    for name in options.only:
        start = time.time()
        try:
            line = export_one(SPECS[name], options.folder, options.small)
        except Exception as error:  # one model must not stop the rest
            failed += 1
            traceback.print_exc()
            line = f"FAILED {type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"
        print(f"{name:24} {time.time() - start:6.1f}s  {line}", flush=True)
    print(f"{len(options.only) - failed} of {len(options.only)} exported to {options.folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
