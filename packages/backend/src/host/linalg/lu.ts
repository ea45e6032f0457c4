import { copyOf, identity, type Matrix } from "./matrix.ts";

/** `P A = L U` in one matrix, as LAPACK's getrf gives it. */
export interface Lu {
  readonly lu: Matrix;
  /** Row that each row was exchanged with, counted from 1. */
  readonly pivots: readonly number[];
  /** 0, or the first zero on U's diagonal, counted from 1. */
  readonly info: number;
}

/** Gaussian elimination, with partial pivoting unless told otherwise. */
export function factorLu(a: Matrix, pivot = true): Lu {
  const lu = copyOf(a);
  const { rows, columns, data } = lu;
  const pivots: number[] = [];
  let info = 0;
  for (let k = 0; k < Math.min(rows, columns); k++) {
    let best = k;
    if (pivot) {
      for (let i = k + 1; i < rows; i++) {
        if (Math.abs(data[i * columns + k]!) > Math.abs(data[best * columns + k]!)) best = i;
      }
    }
    pivots.push(best + 1);
    if (best !== k) swapRows(lu, best, k);
    const diagonal = data[k * columns + k]!;
    if (diagonal === 0) {
      if (info === 0) info = k + 1;
      continue;
    }
    for (let i = k + 1; i < rows; i++) {
      const factor = data[i * columns + k]! / diagonal;
      data[i * columns + k] = factor;
      if (factor === 0) continue;
      for (let j = k + 1; j < columns; j++) data[i * columns + j]! -= factor * data[k * columns + j]!;
    }
  }
  return { lu, pivots, info };
}

/** The permutation matrix that undoes the exchanges: `A = P L U`. */
export function permutationOf(pivots: ArrayLike<number>, rows: number): Matrix {
  const order = Array.from({ length: rows }, (_, i) => i);
  for (let k = 0; k < pivots.length; k++) {
    const other = pivots[k]! - 1;
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  const result = identity(rows);
  result.data.fill(0);
  for (const [k, row] of order.entries()) result.data[row * rows + k] = 1;
  return result;
}

/** Determinant from the factors: its sign and the logarithm of its size. */
export function determinant({ lu, pivots }: Lu): {
  readonly sign: number;
  readonly log: number;
  readonly value: number;
} {
  let [sign, log, value] = [1, 0, 1];
  for (let k = 0; k < lu.rows; k++) {
    const diagonal = lu.data[k * lu.columns + k]!;
    const flip = pivots[k] === k + 1 ? 1 : -1;
    sign *= flip * (diagonal > 0 ? 1 : diagonal < 0 ? -1 : diagonal);
    log += Math.log(Math.abs(diagonal));
    value *= flip * diagonal;
  }
  return { sign, log, value };
}

/** Solves `A X = B` (or `Aᵀ X = B`) from the factors of A. */
export function solveLu(lu: Matrix, pivots: ArrayLike<number>, b: Matrix, adjoint = false): Matrix {
  const x = copyOf(b);
  if (adjoint) {
    solveTriangular(lu, x, { upper: true, unit: false, transpose: true });
    solveTriangular(lu, x, { upper: false, unit: true, transpose: true });
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
  /** The diagonal is taken to be 1. */
  readonly unit: boolean;
  readonly transpose?: boolean;
}

/** Solves `T X = B` (or `Tᵀ X = B`) in place of B. */
export function solveTriangular(t: Matrix, b: Matrix, { upper, unit, transpose = false }: Triangle): void {
  const [n, wide] = [t.rows, b.columns];
  const at = (i: number, j: number): number => t.data[transpose ? j * t.columns + i : i * t.columns + j]!;
  const backward = upper !== transpose;
  for (let step = 0; step < n; step++) {
    const i = backward ? n - 1 - step : step;
    for (let k = backward ? i + 1 : 0; k < (backward ? n : i); k++) {
      const factor = at(i, k);
      if (factor === 0) continue;
      for (let j = 0; j < wide; j++) b.data[i * wide + j]! -= factor * b.data[k * wide + j]!;
    }
    if (!unit) for (let j = 0; j < wide; j++) b.data[i * wide + j]! /= at(i, i);
  }
}

function swapRows({ columns, data }: Matrix, i: number, k: number): void {
  if (i === k) return;
  for (let j = 0; j < columns; j++) {
    const kept = data[i * columns + j]!;
    data[i * columns + j] = data[k * columns + j]!;
    data[k * columns + j] = kept;
  }
}
