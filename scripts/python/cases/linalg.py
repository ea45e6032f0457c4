"""Factorizations, systems of equations and functions of matrices, of real and of complex numbers.

Eigenvectors and singular vectors are not unique: of ops that give them only the values are compared, and what other ops
make of the vectors (`pinverse`, `linalg_matrix_rank`, …).
"""

import torch

from opcase import c64, case, f32, f64, t, v

c128 = torch.complex128
DTYPES = (f32, c64, c128)


def well(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Matrices far from singular."""
    return t(*shape, dtype=dtype) + 5 * torch.eye(shape[-1], dtype=dtype)


def positive(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Hermitian matrices with positive eigenvalues."""
    a = t(*shape, dtype=dtype)
    return a @ a.mH + torch.eye(shape[-1], dtype=dtype)


def hermitian(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    """Hermitian matrices."""
    a = t(*shape, dtype=dtype)
    return a + a.mH


for dtype in DTYPES:
    name = str(dtype).removeprefix("torch.")
    case("linalg_inv_ex", f"batch, {name}", well(2, 5, 5, dtype=dtype))
    case("linalg_det", f"batch, {name}", t(2, 5, 5, dtype=dtype), rtol=1e-4, why="a product of five sums")
    case("linalg_slogdet", f"batch, {name}", well(3, 5, 5, dtype=dtype))
    case("linalg_lu_factor_ex", f"tall, {name}", t(2, 7, 3, dtype=dtype))
    case("linalg_lu_factor_ex", f"wide, {name}", t(3, 7, dtype=dtype))
    case("lu_unpack", f"tall, {name}", *torch.linalg.lu_factor(t(7, 3, dtype=dtype)))
    case("lu_unpack", f"wide batch, {name}", *torch.linalg.lu_factor(t(2, 3, 5, dtype=dtype)))
    factors = torch.linalg.lu_factor(well(2, 5, 5, dtype=dtype))
    for left in (True, False):
        for adjoint in (False, True):
            where = f"{'left' if left else 'right'}{', adjoint' if adjoint else ''}, {name}"
            b = t(2, 5, 3, dtype=dtype) if left else t(2, 3, 5, dtype=dtype)
            case("linalg_lu_solve", where, *factors, b, left=left, adjoint=adjoint)
    case("linalg_solve_ex", f"vector, {name}", well(5, 5, dtype=dtype), t(5, dtype=dtype))
    case("linalg_solve_ex", f"right, {name}", well(5, 5, dtype=dtype), t(3, 5, dtype=dtype), left=False)
    for upper in (True, False):
        for left in (True, False):
            where = f"{'upper' if upper else 'lower'}, {'left' if left else 'right'}, {name}"
            b = t(2, 5, 3, dtype=dtype) if left else t(2, 3, 5, dtype=dtype)
            case("linalg_solve_triangular", where, well(5, 5, dtype=dtype), b, upper=upper, left=left)
    case("triangular_solve", f"transposed, {name}", t(5, 3, dtype=dtype), well(5, 5, dtype=dtype), True, True)
    for upper in (False, True):
        where = f"{'upper' if upper else 'lower'}, {name}"
        matrix = positive(2, 5, 5, dtype=dtype)
        factor = torch.linalg.cholesky(matrix, upper=upper)
        case("linalg_cholesky_ex", where, matrix, upper=upper)
        case("cholesky_solve", where, t(2, 5, 3, dtype=dtype), factor, upper)
        case("cholesky_inverse", where, factor, upper)
    case("geqrf", f"tall batch, {name}", t(2, 7, 3, dtype=dtype))
    case("geqrf", f"wide, {name}", t(3, 5, dtype=dtype))
    for mode in ("reduced", "complete", "r"):
        case("linalg_qr", f"{mode}, {name}", t(2, 5, 3, dtype=dtype), mode)
    reflections = torch.geqrf(t(5, 3, dtype=dtype))
    case("linalg_householder_product", f"tall, {name}", *reflections)
    for left in (True, False):
        for transpose in (False, True):
            where = f"{'left' if left else 'right'}{', adjoint' if transpose else ''}, {name}"
            b = t(5, 2, dtype=dtype) if left else t(2, 5, dtype=dtype)
            case("ormqr", where, *reflections, b, left, transpose)
    case("linalg_svdvals", f"batch, {name}", t(2, 3, 5, dtype=dtype))
    case("linalg_svd", f"values, {name}", t(2, 5, 3, dtype=dtype), ignore=(0, 2))
    for uplo in ("L", "U"):
        case("linalg_eigvalsh", f"{uplo}, {name}", t(2, 5, 5, dtype=dtype), uplo)
        case("linalg_eigh", f"values, {uplo}, {name}", hermitian(2, 7, 7, dtype=dtype), uplo, ignore=(1,))
    case("linalg_eigvals", f"of a triangle, {name}", torch.triu(t(5, 5, dtype=dtype)))
    case("linalg_pinv.atol_rtol_float", f"wide, {name}", t(2, 3, 5, dtype=dtype))
    case("linalg_pinv.atol_rtol_float", f"Hermitian, {name}", hermitian(3, 3, dtype=dtype), hermitian=True)
    case("linalg_matrix_rank", f"of a product, {name}", t(5, 2, dtype=dtype) @ t(2, 5, dtype=dtype), 1e-3)
    case("linalg_matrix_exp", f"batch, {name}", t(2, 3, 3, dtype=dtype))
    case("linalg_matrix_exp", f"large, {name}", t(3, 3, dtype=dtype) * 2, rtol=1e-4, why="sums of large terms")
    case("linalg_cond", f"2-norm, {name}", well(3, 3, dtype=dtype))
    case("linalg_matrix_norm.str_ord", f"nuclear, {name}", t(2, 3, 5, dtype=dtype), "nuc")
    case("linalg_matrix_norm", f"columns, {name}", t(2, 3, 5, dtype=dtype), 1)
    case("logdet", f"positive, {name}", positive(2, 3, 3, dtype=dtype))
    case("linalg_tensorinv", f"square, {name}", well(6, 6, dtype=dtype).reshape(2, 3, 6), 2)

for hermitian_factor in (False, True):
    for dtype in (c64, c128):
        where = f"{'Hermitian' if hermitian_factor else 'symmetric'}, {str(dtype).removeprefix('torch.')}"
        a = t(2, 7, 7, dtype=dtype)
        a = a + (a.mH if hermitian_factor else a.mT)
        LD, pivots = torch.linalg.ldl_factor(a, hermitian=hermitian_factor)
        case("linalg_ldl_factor_ex", where, a, hermitian=hermitian_factor, rtol=1e-4, why="quotients of differences")
        case("linalg_ldl_solve", where, LD, pivots, t(2, 7, 3, dtype=dtype), hermitian=hermitian_factor, rtol=1e-4, atol=1e-4, why="quotients of differences")

for dtype in (f32, c64):
    name = str(dtype).removeprefix("torch.")
    empty = torch.zeros(0, 3, 3, dtype=dtype)
    nothing = torch.zeros(2, 0, 0, dtype=dtype)
    for kind, matrices in (("no matrices", empty), ("empty matrices", nothing)):
        case("linalg_inv_ex", f"{kind}, {name}", matrices)
        case("linalg_det", f"{kind}, {name}", matrices)
        case("linalg_eigh", f"{kind}, {name}", matrices)
        case("linalg_eig", f"{kind}, {name}", matrices)
        case("linalg_svd", f"{kind}, {name}", matrices)
        case("linalg_matrix_exp", f"{kind}, {name}", matrices)
    case("linalg_inv_ex", f"singular: the place of the zero, {name}", torch.ones(3, 3, dtype=dtype), ignore=(0,))
    case("linalg_cholesky_ex", f"not positive: the minor, {name}", -torch.eye(3, dtype=dtype), ignore=(0,))

# Conjugate pairs come with the positive imaginary part first.
case("linalg_eig", "a turn: values", v(0, -1, 1, 0).reshape(2, 2), ignore=(1,))
case("linalg_eigvals", "companion of x³ - 2", v(0, 0, 2, 1, 0, 0, 0, 1, 0, dtype=f64).reshape(3, 3))
case("linalg_eig", "real values", v(2, 1, 0, 3).reshape(2, 2), ignore=(1,))
case("linalg_det", "singular", torch.ones(3, 3))

# The factors of real matrices are those of the transposed one, as it lies in memory.
for dtype in DTYPES:
    name = str(dtype).removeprefix("torch.")
    case("_linalg_det", f"factors, {name}", well(2, 3, 3, dtype=dtype))
    case("_linalg_slogdet", f"factors, {name}", well(2, 3, 3, dtype=dtype))
