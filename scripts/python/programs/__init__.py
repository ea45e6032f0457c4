"""Small programs that exercise one corner each of what `torch.export` can write, by name."""

from programs.arguments import PROGRAMS as ARGUMENTS
from programs.assertions import PROGRAMS as ASSERTIONS
from programs.control_flow import PROGRAMS as CONTROL_FLOW
from programs.experts import PROGRAMS as EXPERTS
from programs.program import Program
from programs.quantized import PROGRAMS as QUANTIZED
from programs.results import PROGRAMS as RESULTS
from programs.signatures import PROGRAMS as SIGNATURES
from programs.symbols import PROGRAMS as SYMBOLS
from programs.training import PROGRAMS as TRAINING
from programs.writes import PROGRAMS as WRITES

GROUPS = (CONTROL_FLOW, SIGNATURES, ARGUMENTS, SYMBOLS, TRAINING, EXPERTS, WRITES, RESULTS, QUANTIZED, ASSERTIONS)
PROGRAMS: dict[str, Program] = {p.name: p for group in GROUPS for p in group}
