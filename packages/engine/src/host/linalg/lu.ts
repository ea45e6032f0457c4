import { absolute, type Complex, conjugate, magnitude, negative, ONE, over, scaled, times } from "./complex.ts";
import { addRow, at, copyOf, type Matrix, put, swapRows, zerosLike } from "./matrix.ts";
import { requirePivots } from "./pivots.ts";
import { factorReal, solveRealTriangular } from "./real-lu.ts";

/** `P A = L U` in one matrix, as LAPACK's getrf gives it. */
export interface Lu {
  readonly lu: Matrix;
  /** Row that each row was exchanged with, counted from 1. */
  readonly pivots: readonly number[];
  /** 0, or the first zero on U's diagonal, counted from 1. */
  readonly info: number;
}

/** Gaussian elimination, with partial pivoting unless `pivot` is false. */
export function factorLu(a: Matrix, pivot = true): Lu {
  const lu = copyOf(a);
  const { rows, columns } = lu;
  if (lu.im === null) return { lu, ...factorReal(lu.re, rows, columns, pivot) };
  const pivots: number[] = [];
  let info = 0;
  for (let k = 0; k < Math.min(rows, columns); k++) {
    let best = k;
    if (pivot) {
      for (let i = k + 1; i < rows; i++) if (magnitude(at(lu, i, k)) > magnitude(at(lu, best, k))) best = i;
    }
    pivots.push(best + 1);
    swapRows(lu, best, k);
    const diagonal = at(lu, k, k);
    if (magnitude(diagonal) === 0) {
      if (info === 0) info = k + 1;
      continue;
    }
    for (let i = k + 1; i < rows; i++) {
      const factor = over(at(lu, i, k), diagonal);
      put(lu, i, k, factor);
      addRow(lu, i, lu, k, negative(factor), k + 1);
    }
  }
  return { lu, pivots, info };
}

/** The permutation matrix that undoes the exchanges, over the numbers of the factors: `A = P L U`. */
export function permutationOf(lu: Matrix, pivots: ArrayLike<number>): Matrix {
  const { rows } = lu;
  requirePivots("lu_unpack", pivots, rows);
  const order = Array.from({ length: rows }, (_, i) => i);
  for (let k = 0; k < pivots.length; k++) {
    const other = pivots[k]! - 1;
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  const result = zerosLike(lu, rows, rows);
  for (const [k, row] of order.entries()) put(result, row, k, ONE);
  return result;
}

/** A determinant: its value, its value divided by its absolute value, and the logarithm of its absolute value. */
export interface Determinant {
  readonly value: Complex;
  readonly sign: Complex;
  readonly log: number;
}

/** Computes the determinant from the factors. */
export function determinant({ lu, pivots }: Lu): Determinant {
  let [value, sign, log] = [ONE, ONE, 0];
  for (let k = 0; k < lu.rows; k++) {
    const diagonal = scaled(at(lu, k, k), pivots[k] === k + 1 ? 1 : -1);
    const size = absolute(diagonal);
    value = times(value, diagonal);
    sign = times(sign, size === 0 ? diagonal : over(diagonal, { re: size, im: 0 }));
    log += Math.log(size);
  }
  return { value, sign, log };
}

/** Solves `A X = B` (or `Aᴴ X = B`) from the factors of A. */
export function solveLu(lu: Matrix, pivots: ArrayLike<number>, b: Matrix, adjoint = false): Matrix {
  requirePivots("linalg_lu_solve", pivots, lu.rows);
  const x = copyOf(b);
  if (adjoint) {
    solveTriangular(lu, x, { upper: true, unit: false, adjoint });
    solveTriangular(lu, x, { upper: false, unit: true, adjoint });
    for (let k = pivots.length - 1; k >= 0; k--) swapRows(x, k, pivots[k]! - 1);
    return x;
  }
  for (let k = 0; k < pivots.length; k++) swapRows(x, k, pivots[k]! - 1);
  solveTriangular(lu, x, { upper: false, unit: true });
  solveTriangular(lu, x, { upper: true, unit: false });
  return x;
}

/** Which triangle of a matrix counts, and how. */
export interface Triangle {
  readonly upper: boolean;
  /** Whether the diagonal is taken to be 1. */
  readonly unit: boolean;
  /** Whether the conjugate transpose of the triangle is used. */
  readonly adjoint?: boolean;
}

/** Solves `T X = B` (or `Tᴴ X = B`) in place of B. */
export function solveTriangular(t: Matrix, b: Matrix, { upper, unit, adjoint = false }: Triangle): void {
  const n = t.rows;
  const factor = (i: number, j: number): Complex => (adjoint ? conjugate(at(t, j, i)) : at(t, i, j));
  const backward = upper !== adjoint;
  if (t.im === null && b.im === null) {
    solveRealTriangular(t.re, b.re, n, b.columns, { backward, unit, transpose: adjoint });
    return;
  }
  for (let step = 0; step < n; step++) {
    const i = backward ? n - 1 - step : step;
    for (let k = backward ? i + 1 : 0; k < (backward ? n : i); k++) addRow(b, i, b, k, negative(factor(i, k)));
    if (unit) continue;
    const diagonal = factor(i, i);
    for (let j = 0; j < b.columns; j++) put(b, i, j, over(at(b, i, j), diagonal));
  }
}
