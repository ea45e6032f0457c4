"""Writes the small programs of `programs/` in both dialects: `python export_programs.py [OUT] [--only NAME ...]`.

Like export_models.py, for test fixtures of a few kilobytes each; OUT defaults to tests/fixtures/programs. A program that
one dialect refuses is reported and left out.
"""

import argparse
import os
import sys
import zlib

import torch

from programs import PROGRAMS, Program
from pt2files import check_program, export_dialects, record, save_program, without_traces

FOLDER = os.path.join(os.path.dirname(__file__), "../../tests/fixtures/programs")


def export_one(program: Program, folder: str) -> list[str]:
    """Writes both dialects and returns what went wrong."""
    torch.manual_seed(zlib.crc32(program.name.encode()))
    module = program.module().train(program.training)
    calls = program.calls()
    failures = []
    try:
        recording = record(module, calls)
        with torch.set_grad_enabled(program.gradients):
            dialects = export_dialects(module, calls[0], program.dynamic())
        if program.plain:
            dialects = {"": lambda make=dialects[""]: without_traces(make())}
    except Exception as error:
        return [f"{program.name}: {type(error).__name__}: {str(error).strip()[:300]}"]
    for suffix, make in dialects.items():
        try:
            with torch.set_grad_enabled(program.gradients):
                made = make() if program.traces else without_traces(make())
            path = save_program(folder, program.name + suffix, made, recording, [os.path.join(folder, program.name)])
            check_program(path, calls, recording)
            print(f"{program.name + suffix:24} {os.path.getsize(path) / 1e3:6.1f} kB", flush=True)
        except Exception as error:
            failures.append(f"{program.name}{suffix}: {type(error).__name__}: {str(error).strip()[:300]}")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=FOLDER)
    parser.add_argument("--only", nargs="+", choices=list(PROGRAMS), metavar="NAME", default=list(PROGRAMS))
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    failures = [failure for name in options.only for failure in export_one(PROGRAMS[name], options.folder)]
    print(*failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
