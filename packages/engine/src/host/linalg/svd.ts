import { bidiagonalise, turnLower, unit } from "./bidiagonal.ts";
import { diagonalizeBidiagonal } from "./bidiagonal-svd.ts";
import { complex } from "./complex.ts";
import { adjointOf, at, columnsOf, corner, identityLike, type Matrix, put, scaleLine } from "./matrix.ts";
import { applyQ, reflect } from "./qr.ts";
import { zeros } from "./room.ts";

/** `A = U diag(S) Vᴴ`, S descending. */
export interface Svd {
  readonly u: Matrix;
  readonly s: Float64Array;
  readonly vh: Matrix;
}

/**
 * By way of a bidiagonal matrix, with the signs and phases of vectors that LAPACK's gesdd gives them. `full` completes U
 * and V to square matrices.
 */
export function svd(a: Matrix, full: boolean, precision: number): Svd {
  const wide = a.columns > a.rows;
  const [large, small] = wide ? [a.columns, a.rows] : [a.rows, a.columns];
  if (!isSquaredFirst(a)) return direct(a, full, precision);
  const { a: reflections, tau } = reflect(wide ? adjointOf(a) : a);
  const r = upperTriangle(reflections, small);
  const inner = direct(wide ? adjointOf(r) : r, false, precision);
  const vectors = grown(wide ? adjointOf(inner.vh) : inner.u, large, full ? large : small);
  applyQ(reflections, tau, vectors, false);
  return wide ? { ...inner, vh: adjointOf(vectors) } : { ...inner, u: vectors };
}

/** The singular values alone, descending. */
export function singularValues(a: Matrix, precision: number): Float64Array {
  const tall = a.columns > a.rows ? adjointOf(a) : a;
  const { diagonal, off } = bidiagonalise(isSquaredFirst(a) ? upperTriangle(reflect(tall).a, tall.columns) : tall);
  diagonalizeBidiagonal(diagonal, off, null, precision);
  return diagonal.map(Math.abs).sort().reverse();
}

/**
 * Whether a matrix is so much longer in one direction that it becomes a triangle first: LAPACK's bounds, but that wide
 * real ones never do.
 */
function isSquaredFirst({ rows, columns, im }: Matrix): boolean {
  const [large, small] = [Math.max(rows, columns), Math.min(rows, columns)];
  if (im === null) return rows > columns && large >= Math.floor((small * 11) / 6);
  return large > small && large >= Math.floor((small * 17) / 9);
}

function direct(a: Matrix, full: boolean, precision: number): Svd {
  const wide = a.columns > a.rows;
  const form = bidiagonalise(wide ? adjointOf(a) : a);
  const { diagonal: d, off: e } = form;
  const n = d.length;
  const restore = wide ? turnLower(d, e) : null;
  const [u, v] = [unit(n), unit(n)];
  diagonalizeBidiagonal(d, e, { u: u.re, v: v.re }, precision);
  restore?.(u);
  for (let i = 0; i < n; i++) {
    if (!(d[i]! < 0)) continue;
    d[i] = -d[i]!;
    scaleLine(n === 1 ? u : v, "column", i, complex(-1));
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((x, y) => d[y]! - d[x]!);
  const columns = (vectors: Matrix, length: number): Matrix => {
    const sorted = columnsOf(vectors, order);
    const like = a.im === null ? sorted : { ...sorted, im: zeros(sorted.re.length) };
    return grown(like, length, full ? length : n);
  };
  const [left, right] = [columns(u, a.rows), columns(v, a.columns)];
  const [byQ, byP] = wide ? [right, left] : [left, right];
  applyQ(form.q, form.tauQ, byQ, false);
  applyQ(form.p, form.tauP, byP, false, 1);
  return { u: left, s: Float64Array.from(order, (i) => d[i]!), vh: adjointOf(right) };
}

/** A matrix as the corner of a larger one with ones on the rest of its diagonal. */
function grown(a: Matrix, rows: number, columns: number): Matrix {
  const result = identityLike(a, rows, columns);
  for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.columns; j++) put(result, i, j, at(a, i, j));
  return result;
}

/** Returns the first rows and columns, with zeros below the diagonal. */
function upperTriangle(a: Matrix, size: number): Matrix {
  const result = corner(a, size, size);
  for (let i = 1; i < size; i++) for (let j = 0; j < i; j++) put(result, i, j, complex(0));
  return result;
}
