"""How long `torch.export.load` takes and how much memory it needs: `python time_load.py FILE [--runs N]`.

Each run is a fresh process that has imported torch already; only the load is timed. The file is in the page cache
after the first run, which is reported apart. Prints one JSON document: seconds, and peak bytes above what the process
held before the load.
"""

import argparse
import json
import statistics
import subprocess
import sys

CHILD = """
import json, resource, sys, time
import torch, torch.export
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
before = peak()
start = time.perf_counter()
program = torch.export.load(sys.argv[1])
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "peak": peak(), "before": before, "torch": torch.__version__}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    runs = []
    for _ in range(options.runs):
        child = subprocess.run([sys.executable, "-W", "ignore", "-c", CHILD, options.file], check=True, capture_output=True, text=True)
        runs.append(json.loads(child.stdout.splitlines()[-1]))
    warm = runs[1:] or runs
    print(
        json.dumps(
            {
                "file": options.file,
                "torch": runs[0]["torch"],
                "first_seconds": runs[0]["seconds"],
                "median_seconds": statistics.median(r["seconds"] for r in warm),
                "min_seconds": min(r["seconds"] for r in warm),
                "peak_bytes": max(r["peak"] for r in runs),
                "load_bytes": max(r["peak"] - r["before"] for r in runs),
            }
        )
    )


if __name__ == "__main__":
    main()
