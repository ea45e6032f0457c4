"""Runs the Python blocks of a document as one session, in the current folder: a list of texts on stdin, results on stdout.

Each result has what the block printed, and the traceback if it failed; what comes behind a failure is not run.
"""

import contextlib
import io
import json
import linecache
import sys
import traceback
import warnings


def main() -> None:
    warnings.filterwarnings("ignore")
    scope = {"__name__": "__main__"}
    results = []
    for index, code in enumerate(json.load(sys.stdin)):
        name = f"block-{index}.py"
        # Tracebacks and PyTorch look for the source of what runs.
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        printed, error = io.StringIO(), None
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, name, "exec"), scope)
        except Exception:
            error = traceback.format_exc()
        results.append({"output": printed.getvalue(), "error": error})
        if error is not None:
            break
    json.dump(results, sys.stdout)


main()
