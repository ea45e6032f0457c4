"""The programs of the benchmark of small ones as `.pt2` and as `.onnx`, same weights: `python bench_small.py FOLDER`.

The files are those of export_bench.py. Needs onnx and onnxscript.
"""

import pathlib
import sys

import torch

from onnx_files import export_onnx
from pt2files import record, save_program
from small_programs import DIGITS, SMALL


def main(folder: pathlib.Path) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    for name, (build, make_call) in SMALL.items():
        torch.manual_seed(16)
        module, call = build(), make_call()
        if name != "digits":
            module.eval()
        recording = record(module, [call])
        program = torch.export.load(DIGITS) if name == "digits" else torch.export.export(module, call.args, strict=False)
        save_program(str(folder), name, program, recording)
        export_onnx(program, call, str(folder), name)
        print(name, flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
