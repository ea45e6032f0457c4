import { backendError } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { HostKernel } from "../host-kernel.ts";
import { matrixKernel } from "./batch.ts";
import { cholesky } from "./cholesky.ts";
import { type Complex, ONE } from "./complex.ts";
import { eigen } from "./eigen.ts";
import { matrixExponential } from "./exponential.ts";
import { factorLdl, solveLdl } from "./ldl.ts";
import { determinant, factorLu, permutationOf, solveLu, solveTriangular } from "./lu.ts";
import { adjointOf, at, corner, identityLike, type Matrix, put, zerosLike } from "./matrix.ts";
import { applyQ, orthogonal, reflect } from "./qr.ts";
import { singularValues, svd } from "./svd.ts";
import { symmetricEigen, symmetricValues } from "./symmetric.ts";

/** Returns the `info` of a factorization: 0, or the row where it failed. If errors are checked, a failure throws. */
function outcome(info: number, checkErrors: boolean): readonly number[] {
  if (info === 0 || !checkErrors) return [info];
  throw backendError("backend.data", {
    what: `The factorization could not be completed: it failed at row ${info} of the input matrix`,
    advice: "Check the values that the program computes this from.",
  });
}

/** Factorizations and systems of equations, in double precision. */
export const LINALG: readonly HostKernel[] = [
  matrixKernel(
    "aten::linalg_lu_factor_ex",
    ({ A }) => [A],
    ([a], { pivot, check_errors }) => {
      const { lu, pivots, info } = factorLu(a, pivot);
      return [lu, pivots, outcome(info, check_errors)];
    },
  ),
  matrixKernel(
    "aten::lu_unpack",
    ({ LU_data, LU_pivots }) => [LU_data, { vectors: LU_pivots }],
    ([lu, pivots]) => {
      const { rows, columns } = lu;
      const rank = Math.min(rows, columns);
      return [
        permutationOf(lu, pivots.re),
        triangle(corner(lu, rows, rank), false),
        triangle(corner(lu, rank, columns), true),
      ];
    },
  ),
  matrixKernel(
    "aten::linalg_det",
    ({ A }) => [A],
    ([a]) => [numberLike(a, determinant(factorLu(a)).value)],
  ),
  matrixKernel(
    "aten::linalg_slogdet",
    ({ A }) => [A],
    ([a]) => {
      const { sign, log } = determinant(factorLu(a));
      return [numberLike(a, sign), [log]];
    },
  ),
  matrixKernel(
    "aten::linalg_inv_ex",
    ({ A }) => [A],
    ([a], { check_errors }) => {
      const { lu, pivots, info } = factorLu(a);
      return [solveLu(lu, pivots, identityLike(lu, lu.rows)), outcome(info, check_errors)];
    },
  ),
  matrixKernel(
    "aten::linalg_lu_solve",
    ({ LU, pivots, B }) => [LU, { vectors: pivots }, B],
    ([lu, pivots, b], { left, adjoint }) => {
      if (left) return [solveLu(lu, pivots.re, b, adjoint)];
      return [adjointOf(solveLu(lu, pivots.re, adjointOf(b), !adjoint))];
    },
  ),
  matrixKernel(
    "aten::linalg_solve_triangular",
    ({ self, B }) => [self, B],
    ([a, b], { left, upper, unitriangular }) => {
      const x = left ? b : adjointOf(b);
      solveTriangular(a, x, { upper, unit: unitriangular, adjoint: !left });
      return [left ? x : adjointOf(x)];
    },
  ),
  matrixKernel(
    "aten::linalg_cholesky_ex",
    ({ self }) => [self],
    ([a], { upper, check_errors }) => {
      const { l, info } = cholesky(upper ? adjointOf(a) : a);
      return [upper ? adjointOf(l) : l, outcome(info, check_errors)];
    },
  ),
  matrixKernel(
    "aten::linalg_ldl_factor_ex",
    ({ self }) => [self],
    ([a], { hermitian, check_errors }) => {
      const { ld, pivots, info } = factorLdl(a, hermitian);
      return [ld, pivots, outcome(info, check_errors)];
    },
  ),
  matrixKernel(
    "aten::linalg_ldl_solve",
    ({ LD, pivots, B }) => [LD, { vectors: pivots }, B],
    ([ld, pivots, b], { hermitian }) => [solveLdl(ld, pivots.re, b, hermitian)],
  ),
  matrixKernel(
    "aten::geqrf",
    ({ self }) => [self],
    ([a]) => {
      const found = reflect(a);
      return [found.a, found.tau];
    },
  ),
  matrixKernel(
    "aten::linalg_householder_product",
    ({ input, tau }) => [input, { vectors: tau }],
    ([a, tau]) => [orthogonal(a, tau, a.columns)],
  ),
  matrixKernel(
    "aten::ormqr",
    ({ self, input2, input3 }) => [self, { vectors: input2 }, input3],
    ([a, tau, b], { left, transpose }) => {
      const x = left ? b : adjointOf(b);
      applyQ(a, tau, x, left ? transpose : !transpose);
      return [left ? x : adjointOf(x)];
    },
  ),
  matrixKernel(
    "aten::linalg_eigh",
    ({ self }) => [self],
    ([a], { UPLO }, call) => {
      const { values, vectors } = symmetricEigen(a, UPLO.toUpperCase() === "U", epsilonOf(call.dtype(0)) / 2);
      return [values, vectors];
    },
  ),
  matrixKernel(
    "aten::linalg_eigvalsh",
    ({ self }) => [self],
    ([a], { UPLO }, call) => [symmetricValues(a, UPLO.toUpperCase() === "U", epsilonOf(call.dtype(0)) / 2)],
  ),
  matrixKernel(
    "aten::linalg_eig",
    ({ self }) => [self],
    ([a], _, call) => {
      const { values, vectors } = eigen(a, epsilonOf(call.dtype(0)));
      return [values, vectors];
    },
  ),
  matrixKernel(
    "aten::linalg_svd",
    ({ A }) => [A],
    ([a], { full_matrices }, call) => {
      const { u, s, vh } = svd(a, full_matrices, epsilonOf(call.dtype(0)) / 2);
      return [u, s, vh];
    },
  ),
  matrixKernel(
    "aten::linalg_svdvals",
    ({ A }) => [A],
    ([a], _, call) => [singularValues(a, epsilonOf(call.dtype(0)) / 2)],
  ),
  matrixKernel(
    "aten::linalg_matrix_exp",
    ({ self }) => [self],
    ([a]) => [matrixExponential(a)],
  ),
];

/** Returns the distance from 1 to the next number of a dtype, on which LAPACK's criteria of convergence depend. */
function epsilonOf(dtype: DType): number {
  return dtype === "float64" || dtype === "complex128" ? 2 ** -52 : 2 ** -23;
}

/** Makes a result of one number, which is real or complex as those of a matrix are. */
function numberLike(a: Matrix, value: Complex): Matrix {
  const result = zerosLike(a, 1, 1);
  put(result, 0, 0, value);
  return result;
}

/** Returns the upper triangle of a matrix, or the lower one with a diagonal of ones. */
function triangle(a: Matrix, upper: boolean): Matrix {
  const result = zerosLike(a, a.rows, a.columns);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < a.columns; j++) {
      if (upper ? j >= i : j < i) put(result, i, j, at(a, i, j));
      else if (!upper && i === j) put(result, i, j, ONE);
    }
  }
  return result;
}
