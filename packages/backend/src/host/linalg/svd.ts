import { absolute, complex, conjugate, over } from "./complex.ts";
import {
  adjointOf,
  at,
  corner,
  dotRows,
  identityLike,
  type Matrix,
  put,
  rowNorm,
  scaleLine,
  transposed,
  turnLines,
  zerosLike,
} from "./matrix.ts";
import { orthogonal, reflect } from "./qr.ts";

/** `A = U diag(S) Vᴴ`, S descending. */
export interface Svd {
  readonly u: Matrix;
  readonly s: Float64Array;
  readonly vh: Matrix;
}

/** One-sided Jacobi: columns are rotated until they are orthogonal. `full` completes U and V to square matrices. */
export function svd(a: Matrix, full: boolean): Svd {
  if (a.rows < a.columns) {
    const { u, s, vh } = svd(adjointOf(a), full);
    return { u: adjointOf(vh), s, vh: adjointOf(u) };
  }
  const [m, n] = [a.rows, a.columns];
  // Columns as rows: they are what is worked on.
  const w = transposed(a);
  const v = identityLike(a, n);
  for (let sweep = 0, turned = true; sweep < 60 && turned; sweep++) {
    turned = false;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) if (rotate(w, v, p, q)) turned = true;
  }
  const sizes = Array.from({ length: n }, (_, j) => rowNorm(w, j));
  const order = [...sizes.keys()].sort((x, y) => sizes[y]! - sizes[x]!);
  const u = zerosLike(a, m, n);
  const vh = zerosLike(a, n, n);
  const limit = (sizes[order[0]!] ?? 0) * 1e-15 * m;
  let rank = 0;
  for (const [to, from] of order.entries()) {
    // LAPACK's bidiagonal matrices are real, and so are the first elements of the vectors on this side.
    const first = at(v, from, 0);
    const phase = absolute(first) === 0 ? complex(1) : over(conjugate(first), complex(absolute(first)));
    if (v.im !== null) for (const rows of [v, w]) scaleLine(rows, "row", from, phase);
    for (let j = 0; j < n; j++) put(vh, to, j, conjugate(at(v, from, j)));
    if (sizes[from]! <= limit) continue;
    rank++;
    for (let i = 0; i < m; i++) put(u, i, to, over(at(w, from, i), complex(sizes[from]!)));
  }
  const s = Float64Array.from(order, (j) => sizes[j]!);
  return { u: rank < n || full ? completed(u, rank, full ? m : n) : u, s, vh };
}

/** Makes two columns orthogonal to each other. */
function rotate(w: Matrix, v: Matrix, p: number, q: number): boolean {
  const [alpha, beta] = [dotRows(w, p, w, p).re, dotRows(w, q, w, q).re];
  const product = dotRows(w, p, w, q);
  const gamma = absolute(product);
  if (!(gamma > 1e-15 * Math.sqrt(alpha * beta))) return false;
  // Turned by its phase, the second column has a real product with the first.
  const phase = over(product, complex(gamma));
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.hypot(zeta, 1));
  const c = 1 / Math.hypot(t, 1);
  for (const rows of [w, v]) {
    scaleLine(rows, "row", q, phase);
    turnLines(rows, "row", p, q, c, c * t);
  }
  return true;
}

/** The first `rank` columns, then others that are orthogonal to them and to each other. */
function completed(u: Matrix, rank: number, columns: number): Matrix {
  const known = corner(u, u.rows, rank);
  const { a, tau } = reflect(known);
  const q = orthogonal(a, tau, columns);
  for (let i = 0; i < u.rows; i++) for (let j = 0; j < rank; j++) put(q, i, j, at(known, i, j));
  return q;
}
