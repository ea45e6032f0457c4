import { type Complex, conjugate } from "./complex.ts";
import { adjointOf, at, copyOf, type Matrix, matrix, put, turnLines, zerosLike } from "./matrix.ts";
import { applyReflection, makeReflection } from "./qr.ts";
import { makeRealReflection, reflectColumns, reflectionVector } from "./real-reflections.ts";
import { forwardRotation } from "./rotations.ts";

/** `A = Q B Pᴴ` of a matrix with at least as many rows as columns; B is real, on its diagonal and above that. */
export interface Bidiagonal {
  readonly diagonal: Float64Array;
  readonly off: Float64Array;
  /** Reflections that make Q, below the diagonal, and their factors. */
  readonly q: Matrix;
  readonly tauQ: Matrix;
  /** Reflections that make P, below the first subdiagonal, and their factors. */
  readonly p: Matrix;
  readonly tauP: Matrix;
}

/** Reduces by the reflections of LAPACK's gebrd. */
export function bidiagonalise(given: Matrix): Bidiagonal {
  const n = given.columns;
  const [tauQ, tauP] = [zerosLike(given, 1, n), zerosLike(given, 1, Math.max(n - 1, 0))];
  let a = copyOf(given);
  const reflected = (side: Matrix, row: number, column: number): Complex => {
    const factor = makeReflection(side, row, column);
    applyReflection(side, { row, column }, conjugate(factor), side, column + 1);
    return factor;
  };
  for (let k = 0; k < n; k++) {
    put(tauQ, 0, k, reflected(a, k, k));
    if (k === n - 1) break;
    if (a.im === null) {
      const row = { of: a.re, start: k * n + k + 1, step: 1, count: n - k - 1 };
      const tau = makeRealReflection(row);
      tauP.re[k] = tau;
      reflectColumns(reflectionVector(row), tau, { of: a.re, start: row.start + n, step: n }, a.rows - k - 1);
      continue;
    }
    // From the right: on the columns of the adjoint.
    const turned = adjointOf(a);
    put(tauP, 0, k, reflected(turned, k + 1, k));
    a = adjointOf(turned);
  }
  return {
    diagonal: Float64Array.from({ length: n }, (_, k) => at(a, k, k).re),
    off: Float64Array.from({ length: Math.max(n - 1, 0) }, (_, k) => at(a, k, k + 1).re),
    q: a,
    tauQ,
    p: adjointOf(a),
    tauP,
  };
}

/** Turns the transpose of a bidiagonal matrix to one again; what comes gives back the turns, to the columns of vectors. */
export function turnLower(d: Float64Array, e: Float64Array): (vectors: Matrix) => void {
  const turns = Array.from(e, (_, i) => {
    const turn = forwardRotation(d[i]!, e[i]!);
    d[i] = turn.r;
    e[i] = turn.s * d[i + 1]!;
    d[i + 1]! *= turn.c;
    return turn;
  });
  return (vectors) => {
    for (const [i, { c, s }] of [...turns.entries()].reverse()) turnLines(vectors, "row", i, i + 1, c, s);
  };
}

/** The identity of real numbers. */
export function unit(n: number): Matrix {
  const result = matrix(n, n, false);
  for (let i = 0; i < n; i++) result.re[i * n + i] = 1;
  return result;
}
