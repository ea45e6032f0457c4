import { type Complex, complex, conjugate, negative, ONE, over, times } from "./complex.ts";
import { addRow, at, copyOf, identityLike, type Matrix, put, zerosLike } from "./matrix.ts";
import { applyRealQ, reflectReal } from "./real-blocks.ts";
import { type Line, makeRealReflection, reflectionVector, reflectRows } from "./real-reflections.ts";

/** Householder's reflections below the diagonal, R on and above it, as LAPACK's geqrf gives them. */
export interface Reflections {
  readonly a: Matrix;
  /** Factors of the reflections, in one row. */
  readonly tau: Matrix;
}

/** Factorizes a matrix by Householder's reflections. */
export function reflect(given: Matrix): Reflections {
  const a = copyOf(given);
  const tau = zerosLike(a, 1, Math.min(a.rows, a.columns));
  if (a.im === null) {
    reflectReal(a, tau.re);
    return { a, tau };
  }
  for (let k = 0; k < tau.columns; k++) {
    const factor = makeReflection(a, k, k);
    put(tau, 0, k, factor);
    applyReflection(a, { row: k, column: k }, conjugate(factor), a, k + 1);
  }
  return { a, tau };
}

/**
 * Makes the elements of a column below `row` zero by a reflection, whose vector is stored there (LAPACK's larfg). Gives
 * its factor.
 */
export function makeReflection(a: Matrix, row: number, column: number): Complex {
  if (a.im === null) return complex(makeRealReflection(lineOf(a, row, column)));
  let rest = 0;
  for (let i = row + 1; i < a.rows; i++) {
    const { re, im } = at(a, i, column);
    rest = Math.hypot(rest, re, im);
  }
  const alpha = at(a, row, column);
  if (rest === 0 && alpha.im === 0) return complex(0);
  const size = Math.hypot(alpha.re, alpha.im, rest);
  const beta = alpha.re >= 0 ? -size : size;
  const scale = over(ONE, { re: alpha.re - beta, im: alpha.im });
  for (let i = row + 1; i < a.rows; i++) put(a, i, column, times(at(a, i, column), scale));
  put(a, row, column, complex(beta));
  return complex((beta - alpha.re) / beta, -alpha.im / beta);
}

/** The elements of a column of a real matrix from a row on. */
function lineOf({ rows, columns, re }: Matrix, row: number, column: number): Line {
  return { of: re, start: row * columns + column, step: columns, count: rows - row };
}

/** Computes `Q B` or `Qᴴ B` in place of B. The vectors of the reflections begin `offset` below the diagonal. */
export function applyQ(a: Matrix, tau: Matrix, b: Matrix, adjoint: boolean, offset = 0): void {
  if (a.im === null && b.im === null) {
    applyRealQ(a, tau.re, b, { adjoint, offset, identity: false });
    return;
  }
  const count = tau.columns;
  for (let step = 0; step < count; step++) {
    const k = adjoint ? step : count - 1 - step;
    const factor = at(tau, 0, k);
    applyReflection(a, { row: k + offset, column: k }, adjoint ? conjugate(factor) : factor, b, 0);
  }
}

/** Returns the first columns of Q. The vectors of the reflections begin `offset` below the diagonal. */
export function orthogonal(a: Matrix, tau: Matrix, columns: number, offset = 0): Matrix {
  const q = identityLike(a, a.rows, columns);
  if (a.im === null) applyRealQ(a, tau.re, q, { adjoint: false, offset, identity: true });
  else applyQ(a, tau, q, false, offset);
  return q;
}

/** `(I - τ v vᴴ) B` from a column of B on, in place; v is 1 at `row`, and what stands below that in `column` of `a`. */
export function applyReflection(
  a: Matrix,
  { row, column }: { readonly row: number; readonly column: number },
  tau: Complex,
  b: Matrix,
  from: number,
): void {
  if (a.im === null && b.im === null) {
    const rows = { of: b.re, start: row * b.columns + from, step: b.columns };
    reflectRows(reflectionVector(lineOf(a, row, column)), tau.re, rows, b.columns - from);
    return;
  }
  const sums = zerosLike(b, 1, b.columns);
  addRow(sums, 0, b, row, ONE, from);
  for (let i = row + 1; i < a.rows; i++) addRow(sums, 0, b, i, conjugate(at(a, i, column)), from);
  const factor = negative(tau);
  addRow(b, row, sums, 0, factor, from);
  for (let i = row + 1; i < a.rows; i++) addRow(b, i, sums, 0, times(factor, at(a, i, column)), from);
}
