"""A file that a script writes, and with `--check` only compares."""

import argparse
import pathlib
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).parents[2]


def write_or_check(target: pathlib.Path, text: Callable[[], str], doc: str) -> None:
    """Ends the script: with 1 where `--check` finds a file that is not what would be written."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the file is not what would be written")
    check = parser.parse_args().check
    made = text()
    if not check:
        target.write_text(made, encoding="utf-8", newline="\n")
    elif not target.exists() or target.read_text(encoding="utf-8") != made:
        sys.exit(f"{target.relative_to(ROOT)} is out of date: run scripts/python/{pathlib.Path(sys.argv[0]).name}")
