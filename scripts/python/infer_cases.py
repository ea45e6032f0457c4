"""Writes packages/registry/src/aten/infer-cases.golden.json: shapes and dtypes of what the ops that are not elementwise return.

    python scripts/python/infer_cases.py [--check]

Rows are as in metas.golden.json (see op_metas.py), but PyTorch runs on real tensors on the CPU, because kernels there
check more than meta kernels do. The lists of cases lie in infer/, a file per family.
"""

import json
import re

import torch
from generated import ROOT, write_or_check
from infer import CASES
from op_metas import row

TARGET = ROOT / "packages/registry/src/aten/infer-cases.golden.json"


def text():
    torch.manual_seed(0)
    rows = ",\n".join(json.dumps(row(*case), separators=(",", ":")) for case in CASES)
    # JSON has no infinities; the test reads their names with Number().
    return re.sub(r"-?Infinity", r'"\g<0>"', f"[\n{rows}\n]\n")


if __name__ == "__main__":
    write_or_check(TARGET, text, __doc__)
