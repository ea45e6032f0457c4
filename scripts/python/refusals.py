"""Calls that differ in one thing from an op case, and which of them PyTorch refuses: `refusals.py [indices|arguments …]`.

Writes `packages/conformance/src/refusals/indices.json`, whose calls differ in one element of a tensor of integers, with
PyTorch's answers where it takes the call; and `arguments.json`, whose calls differ in an argument, or in the shape or dtype
of a tensor. PyTorch may read beyond its tensors where it does not check, so calls are made in processes of their own.
"""

import argparse
import json
import os
import pickle
import re
import resource
import struct
from collections.abc import Callable, Iterator
from typing import Any

import torch

from case_files import load_cases
from goldens import HERE, encode_result, overload
from variations import FAR, Variation, argument_variations, index_variations, varied

TARGET = HERE / "../../packages/conformance/src/refusals"
CASES_OF_AN_OP = 1

# What PyTorch's CPU has no kernel for may well be computed elsewhere.
UNIMPLEMENTED = re.compile(r"not implemented|Could not run|not supported|unsupported|[Nn]ot yet|cannot be cast|implemented for", re.IGNORECASE)
# LAPACK takes factors of nonsense for what they are not, this gradient is written wherever an index says,
# and offsets of bags may go back.
UNCHECKED = re.compile(r"^aten::(linalg_ldl_solve|max_pool2d_with_indices_backward|_?embedding_bag$)")


def answer(kind: str, case: dict[str, Any], variation: Variation) -> dict[str, Any] | None:
    args = varied(case, variation)
    if args is None:
        return None
    op = overload(case["op"])
    torch.manual_seed(0)
    try:
        with torch.no_grad():
            result = op(**args)
            if kind == "indices" and not settled(op, case, variation, result):
                return None
    except MemoryError:
        return None
    except Exception as problem:
        if "can't allocate memory" in str(problem):
            # What is too much here fits elsewhere, and takes that machine's memory.
            return None
        text = next((line for line in str(problem).splitlines() if line), type(problem).__name__)
        return {"refused": text[:200], "type": type(problem).__name__}
    returns = [] if not op._schema.returns else [result] if len(op._schema.returns) == 1 else list(result)
    if kind == "arguments":
        return {"accepted": True}
    expected = [encode_result(r, False) for r in returns]
    return {"expected": expected} if len(json.dumps(expected)) < 4000 else {"accepted": True}


def settled(op: Any, case: dict[str, Any], variation: Variation, result: Any) -> bool:
    """Whether results do not depend on what was in memory before: of values that it does not check PyTorch leaves some unwritten."""
    tensors = [t for t in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(t, torch.Tensor)]
    found = []
    for value in (3, 5):
        poison = [torch.full_like(t, value) for t in tensors for _ in range(8)]
        del poison
        again = op(**varied(case, variation))
        found.append([encode_result(t, False) for t in (again if isinstance(again, (tuple, list)) else [again])])
    return found[0] == found[1]


def in_processes(tasks: list[Any], call: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
    """Each task with its answer; with None where the process died of it."""
    done = 0
    while done < len(tasks):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            resource.setrlimit(resource.RLIMIT_AS, (12 << 30, -1))
            with os.fdopen(write, "wb", buffering=0) as pipe:
                for task in tasks[done:]:
                    resource.setrlimit(resource.RLIMIT_CPU, (int(sum(os.times()[:2])) + 20, -1))
                    data = pickle.dumps(call(task))
                    pipe.write(struct.pack("<I", len(data)) + data)
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            while head := pipe.read(4):
                yield tasks[done], pickle.loads(pipe.read(struct.unpack("<I", head)[0]))
                done += 1
        os.waitpid(child, 0)
        if done < len(tasks):
            yield tasks[done], {"died": True}
            done += 1


def chosen(kind: str) -> list[tuple[str, dict[str, Any]]]:
    """The first cases of each op; for indices those with tensors of integers."""
    count: dict[str, int] = {}
    result = []
    for family, case in load_cases():
        if kind == "indices" and not any(t["dtype"] in ("int64", "int32") for t in case["tensors"]):
            continue
        count[case["op"]] = count.get(case["op"], 0) + 1
        if count[case["op"]] <= CASES_OF_AN_OP:
            result.append((family, case))
    return result


def generate(kind: str) -> None:
    cases = chosen(kind)
    tasks = []
    for at, (_, case) in enumerate(cases):
        make = index_variations(case) if kind == "indices" else argument_variations(case, overload(case["op"])._schema)
        tasks += [(at, variation) for variation in make]
    entries = [{"family": family, "op": case["op"], "name": case["name"], "refused": [], "accepted": []} for family, case in cases]
    for (at, variation), said in in_processes(tasks, lambda task: answer(kind, cases[task[0]][1], task[1])):
        if said is None:
            continue
        if "died" in said:
            entries[at]["refused"] += [variation] if kind == "indices" else []
        elif "refused" in said:
            if said["type"] in ("TypeError", "ZeroDivisionError") or "ZeroDivision" in said["refused"] or UNIMPLEMENTED.search(said["refused"]):
                continue
            entries[at]["refused"].append(variation)
        elif kind == "indices" and "expected" in said:
            entries[at]["accepted"].append([variation, said["expected"]])
    if kind == "indices":
        # Tensors none of whose values is refused hold no indices. Where one that is far away is refused all should be.
        for entry in entries:
            indexing = {variation[1] for variation in entry["refused"]}
            checked = [each for each in entry["accepted"] if each[0][1] in indexing and int(each[0][3]) not in FAR]
            entry["accepted"] = [] if UNCHECKED.match(entry["op"]) else checked
    entries = [entry for entry in entries if entry["refused"]]
    print(kind, len(entries), "cases", sum(len(e["refused"]) for e in entries), "refused", sum(len(e["accepted"]) for e in entries), "accepted")
    os.makedirs(TARGET, exist_ok=True)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":"), allow_nan=False) for entry in entries)
    head = json.dumps({"torch": torch.__version__.split("+")[0]})[:-1]
    (TARGET / f"{kind}.json").write_text(f'{head},"cases":[\n{lines}\n]}}\n')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=["indices", "arguments"])
    torch.set_num_threads(1)
    for kind in parser.parse_args().kinds:
        generate(kind)


if __name__ == "__main__":
    main()
