import { backendError } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { HostCall, HostKernel } from "../host-kernel.ts";
import { matrixKernel } from "./batch.ts";
import { cholesky } from "./cholesky.ts";
import { type Complex, ONE } from "./complex.ts";
import { eigen } from "./eigen.ts";
import { matrixExponential } from "./exponential.ts";
import { factorLdl, solveLdl } from "./ldl.ts";
import { determinant, factorLu, permutationOf, solveLu, solveTriangular } from "./lu.ts";
import { adjointOf, at, corner, identityLike, type Matrix, put, zerosLike } from "./matrix.ts";
import { applyQ, orthogonal, reflect } from "./qr.ts";
import { svd } from "./svd.ts";
import { symmetricEigen } from "./symmetric.ts";

/** The `info` of a factorisation: zero, or the place where it failed, which is an error if `check_errors` is set. */
function outcome(call: HostCall, info: number): readonly number[] {
  if (info === 0 || !call.arg<boolean>("check_errors")) return [info];
  throw backendError("backend.data", {
    what: `The factorisation could not be completed: it failed at row ${info} of the input matrix`,
    advice: "Check the values that the program computes this from.",
  });
}

/** Factorisations and systems of equations, in double precision. */
export const LINALG: readonly HostKernel[] = [
  matrixKernel(["aten::linalg_lu_factor_ex"], ["A"], (call, a) => {
    const { lu, pivots, info } = factorLu(a!, call.arg<boolean>("pivot"));
    return [lu, pivots, outcome(call, info)];
  }),
  matrixKernel(["aten::lu_unpack"], ["LU_data", "LU_pivots:1"], (_, lu, pivots) => {
    const { rows, columns } = lu!;
    const rank = Math.min(rows, columns);
    return [
      permutationOf(lu!, pivots!.re),
      triangle(corner(lu!, rows, rank), false),
      triangle(corner(lu!, rank, columns), true),
    ];
  }),
  matrixKernel(["aten::linalg_det"], ["A"], (_, a) => [numberLike(a!, determinant(factorLu(a!)).value)]),
  matrixKernel(["aten::linalg_slogdet"], ["A"], (_, a) => {
    const { sign, log } = determinant(factorLu(a!));
    return [numberLike(a!, sign), [log]];
  }),
  matrixKernel(["aten::linalg_inv_ex"], ["A"], (call, a) => {
    const { lu, pivots, info } = factorLu(a!);
    return [solveLu(lu, pivots, identityLike(lu, lu.rows)), outcome(call, info)];
  }),
  matrixKernel(["aten::linalg_lu_solve"], ["LU", "pivots:1", "B"], (call, lu, pivots, b) => {
    const adjoint = call.arg<boolean>("adjoint");
    if (call.arg<boolean>("left")) return [solveLu(lu!, pivots!.re, b!, adjoint)];
    return [adjointOf(solveLu(lu!, pivots!.re, adjointOf(b!), !adjoint))];
  }),
  matrixKernel(["aten::linalg_solve_triangular"], ["self", "B"], (call, a, b) => {
    const left = call.arg<boolean>("left");
    const x = left ? b! : adjointOf(b!);
    const which = { upper: call.arg<boolean>("upper"), unit: call.arg<boolean>("unitriangular"), adjoint: !left };
    solveTriangular(a!, x, which);
    return [left ? x : adjointOf(x)];
  }),
  matrixKernel(["aten::linalg_cholesky_ex"], ["self"], (call, a) => {
    const upper = call.arg<boolean>("upper");
    const { l, info } = cholesky(upper ? adjointOf(a!) : a!);
    return [upper ? adjointOf(l) : l, outcome(call, info)];
  }),
  matrixKernel(["aten::linalg_ldl_factor_ex"], ["self"], (call, a) => {
    const { ld, pivots, info } = factorLdl(a!, call.arg<boolean>("hermitian"));
    return [ld, pivots, outcome(call, info)];
  }),
  matrixKernel(["aten::linalg_ldl_solve"], ["LD", "pivots:1", "B"], (call, ld, pivots, b) => [
    solveLdl(ld!, pivots!.re, b!, call.arg<boolean>("hermitian")),
  ]),
  matrixKernel(["aten::geqrf"], ["self"], (_, a) => {
    const found = reflect(a!);
    return [found.a, found.tau];
  }),
  matrixKernel(["aten::linalg_householder_product"], ["input", "tau:1"], (_, a, tau) => [
    orthogonal(a!, tau!, a!.columns),
  ]),
  matrixKernel(["aten::ormqr"], ["self", "input2:1", "input3"], (call, a, tau, b) => {
    const [left, transpose] = [call.arg<boolean>("left"), call.arg<boolean>("transpose")];
    const x = left ? b! : adjointOf(b!);
    applyQ(a!, tau!, x, left ? transpose : !transpose);
    return [left ? x : adjointOf(x)];
  }),
  matrixKernel(["aten::linalg_eigh"], ["self"], (call, a) => {
    const { values, vectors } = symmetricEigen(
      a!,
      call.arg<string>("UPLO").toUpperCase() === "U",
      epsilonOf(call.dtype(0)) / 2,
    );
    return [values, vectors];
  }),
  matrixKernel(["aten::linalg_eig"], ["self"], (call, a) => {
    const { values, vectors } = eigen(a!, epsilonOf(call.dtype(0)));
    return [values, vectors];
  }),
  matrixKernel(["aten::linalg_svd"], ["A"], (call, a) => {
    const { u, s, vh } = svd(a!, call.arg<boolean>("full_matrices"), epsilonOf(call.dtype(0)) / 2);
    return [u, s, vh];
  }),
  matrixKernel(["aten::linalg_matrix_exp"], ["self"], (_, a) => [matrixExponential(a!)]),
];

/** The distance from 1 to the next number of a dtype: how exact LAPACK's routine for it is. */
function epsilonOf(dtype: DType): number {
  return dtype === "float64" || dtype === "complex128" ? 2 ** -52 : 2 ** -23;
}

/** A result that is one number of the same kind as those of a matrix. */
function numberLike(a: Matrix, value: Complex): Matrix {
  const result = zerosLike(a, 1, 1);
  put(result, 0, 0, value);
  return result;
}

/** The upper triangle, or the lower one with a diagonal of ones. */
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
