"""Tensors of the cases: sizes are primes where an op allows it, so that a swapped dimension shows."""

import torch

# Whether a matrix is singular, say, decides what a call answers: the same tensors in every run.
torch.manual_seed(0)


def f(*shape, dtype=torch.float32):
    return torch.randn(shape, dtype=torch.float64).to(dtype)


def i(*shape, high=2, dtype=torch.int64):
    return torch.randint(0, high, shape, dtype=dtype)


def b(*shape):
    return torch.rand(shape) > 0.5


def h(*shape):
    return f(*shape, dtype=torch.float16)


def bf(*shape):
    return f(*shape, dtype=torch.bfloat16)


def d(*shape):
    return f(*shape, dtype=torch.float64)


def c(*shape):
    return torch.randn(shape, dtype=torch.complex64)
