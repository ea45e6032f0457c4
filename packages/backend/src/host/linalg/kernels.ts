import type { HostKernel } from "../host-kernel.ts";
import { matrixKernel } from "./batch.ts";
import { matrixExponential } from "./exponential.ts";
import { factorLdl, solveLdl } from "./ldl.ts";
import { determinant, factorLu, permutationOf, solveLu, solveTriangular } from "./lu.ts";
import { corner, identity, type Matrix, matrix, transposed } from "./matrix.ts";
import { applyQ, orthogonal, reflect } from "./qr.ts";
import { svd } from "./svd.ts";
import { cholesky, symmetricEigen } from "./symmetric.ts";

/** Factorisations and systems of equations of real matrices, in double precision. */
export const LINALG: readonly HostKernel[] = [
  matrixKernel(["aten::linalg_lu_factor_ex"], ["A"], (call, a) => {
    const { lu, pivots, info } = factorLu(a as Matrix, call.arg<boolean>("pivot"));
    return [lu, pivots, [info]];
  }),
  matrixKernel(["aten::lu_unpack"], ["LU_data", "LU_pivots:1"], (_, lu, pivots) => {
    const { rows, columns } = lu as Matrix;
    const rank = Math.min(rows, columns);
    return [
      permutationOf((pivots as Matrix).data, rows),
      triangle(corner(lu as Matrix, rows, rank), false),
      triangle(corner(lu as Matrix, rank, columns), true),
    ];
  }),
  matrixKernel(["aten::linalg_det"], ["A"], (_, a) => [[determinant(factorLu(a as Matrix)).value]]),
  matrixKernel(["aten::linalg_slogdet"], ["A"], (_, a) => {
    const { sign, log } = determinant(factorLu(a as Matrix));
    return [[sign], [log]];
  }),
  matrixKernel(["aten::linalg_inv_ex"], ["A"], (_, a) => {
    const { lu, pivots, info } = factorLu(a as Matrix);
    return [solveLu(lu, pivots, identity(lu.rows)), [info]];
  }),
  matrixKernel(["aten::linalg_lu_solve"], ["LU", "pivots:1", "B"], (call, lu, pivots, b) => {
    const adjoint = call.arg<boolean>("adjoint");
    const order = (pivots as Matrix).data;
    if (call.arg<boolean>("left")) return [solveLu(lu as Matrix, order, b as Matrix, adjoint)];
    return [transposed(solveLu(lu as Matrix, order, transposed(b as Matrix), !adjoint))];
  }),
  matrixKernel(["aten::linalg_solve_triangular"], ["self", "B"], (call, a, b) => {
    const triangleOf = { upper: call.arg<boolean>("upper"), unit: call.arg<boolean>("unitriangular") };
    const left = call.arg<boolean>("left");
    const x = left ? (b as Matrix) : transposed(b as Matrix);
    solveTriangular(a as Matrix, x, { ...triangleOf, transpose: !left });
    return [left ? x : transposed(x)];
  }),
  matrixKernel(["aten::linalg_cholesky_ex"], ["self"], (call, a) => {
    const upper = call.arg<boolean>("upper");
    const { l, info } = cholesky(upper ? transposed(a as Matrix) : (a as Matrix));
    return [upper ? transposed(l) : l, [info]];
  }),
  matrixKernel(["aten::linalg_ldl_factor_ex"], ["self"], (_, a) => {
    const { ld, pivots, info } = factorLdl(a as Matrix);
    return [ld, pivots, [info]];
  }),
  matrixKernel(["aten::linalg_ldl_solve"], ["LD", "pivots:1", "B"], (_, ld, pivots, b) => [
    solveLdl(ld as Matrix, (pivots as Matrix).data, b as Matrix),
  ]),
  matrixKernel(["aten::geqrf"], ["self"], (_, a) => {
    const found = reflect(a as Matrix);
    return [found.a, found.tau];
  }),
  matrixKernel(["aten::linalg_householder_product"], ["input", "tau:1"], (_, a, tau) => [
    orthogonal(a as Matrix, (tau as Matrix).data, (a as Matrix).columns),
  ]),
  matrixKernel(["aten::ormqr"], ["self", "input2:1", "input3"], (call, a, tau, b) => {
    const [left, transpose] = [call.arg<boolean>("left"), call.arg<boolean>("transpose")];
    const x = left ? (b as Matrix) : transposed(b as Matrix);
    applyQ(a as Matrix, (tau as Matrix).data, x, left ? transpose : !transpose);
    return [left ? x : transposed(x)];
  }),
  matrixKernel(["aten::linalg_eigh"], ["self"], (call, a) => {
    const { values, vectors } = symmetricEigen(a as Matrix, call.arg<string>("UPLO").toUpperCase() === "U");
    return [values, vectors];
  }),
  matrixKernel(["aten::linalg_svd"], ["A"], (call, a) => {
    const { u, s, vt } = svd(a as Matrix, call.arg<boolean>("full_matrices"));
    return [u, s, vt];
  }),
  matrixKernel(["aten::linalg_matrix_exp"], ["self"], (_, a) => [matrixExponential(a as Matrix)]),
];

/** The upper triangle, or the lower one with a diagonal of ones. */
function triangle(a: Matrix, upper: boolean): Matrix {
  const result = matrix(a.rows, a.columns);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < a.columns; j++) {
      const kept = upper ? j >= i : j < i;
      result.data[i * a.columns + j] = kept ? a.data[i * a.columns + j]! : !upper && i === j ? 1 : 0;
    }
  }
  return result;
}
