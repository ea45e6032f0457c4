"""Calls that PyTorch's own op database makes: of every operator that a Python function calls first, composites included."""

import contextlib
import itertools
import signal
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.testing._internal.common_methods_invocations import op_db

from memory.observe import Observations

DTYPES = (torch.float32, torch.complex64)
SAMPLES, SECONDS = 8, 10


class Capture(SchemaCheckMode):
    """Sees operators before composites are taken apart. The dispatcher lets no other class of mode see them there."""

    def __init__(self, seen: Observations) -> None:
        super().__init__()
        self.seen = seen
        self._dispatch_key = torch._C.DispatchKey.PreDispatch

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        return self.seen.call(func, args, kwargs or {})


def observe_database() -> Observations:
    seen = Observations()
    signal.signal(signal.SIGALRM, expire)
    for op in op_db:
        for dtype in DTYPES:
            if dtype not in op.supported_dtypes("cpu"):
                continue
            signal.alarm(SECONDS)
            with contextlib.suppress(Exception):
                torch.manual_seed(0)
                for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), SAMPLES):
                    for each in (sample, sample.noncontiguous()):
                        with contextlib.suppress(Exception), enable_python_dispatcher(), torch._C._EnablePreDispatch(), Capture(seen):
                            op.op(each.input, *each.args, **each.kwargs)
            signal.alarm(0)
    return seen


def expire(*_: Any) -> None:
    raise TimeoutError
