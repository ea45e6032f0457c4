"""Calls whose result shapes and dtypes are recorded: (op, arguments) or (op, arguments, keyword arguments)."""

from . import attention, image, index, matmul, norm, reduce, sequence, window

CASES = [case for family in (reduce, matmul, window, norm, attention, index, image, sequence) for case in family.CASES]
