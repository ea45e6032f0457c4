import { copyOf, type Matrix, matrix, transposed } from "./matrix.ts";
import { orthogonal, reflect } from "./qr.ts";

/** `A = U diag(S) Vᵀ`, S descending. */
export interface Svd {
  readonly u: Matrix;
  readonly s: Float64Array;
  readonly vt: Matrix;
}

/** One-sided Jacobi: columns are rotated until they are orthogonal. `full` completes U and V to square matrices. */
export function svd(a: Matrix, full: boolean): Svd {
  if (a.rows < a.columns) {
    const { u, s, vt } = svd(transposed(a), full);
    return { u: transposed(vt), s, vt: transposed(u) };
  }
  const [m, n] = [a.rows, a.columns];
  // Columns as rows: they are what is worked on.
  const w = transposed(a);
  const v = matrix(n, n);
  for (let i = 0; i < n; i++) v.data[i * n + i] = 1;
  for (let sweep = 0, turned = true; sweep < 60 && turned; sweep++) {
    turned = false;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) if (rotate(w, v, p, q)) turned = true;
  }
  const sizes = Array.from({ length: n }, (_, j) => norm(w.data.subarray(j * m, (j + 1) * m)));
  const order = [...sizes.keys()].sort((x, y) => sizes[y]! - sizes[x]!);
  const u = matrix(m, n);
  const vt = matrix(n, n);
  const limit = (sizes[order[0]!] ?? 0) * 1e-15 * m;
  let rank = 0;
  for (const [to, from] of order.entries()) {
    vt.data.set(v.data.subarray(from * n, (from + 1) * n), to * n);
    if (sizes[from]! <= limit) continue;
    rank++;
    for (let i = 0; i < m; i++) u.data[i * n + to] = w.data[from * m + i]! / sizes[from]!;
  }
  const s = Float64Array.from(order, (j) => sizes[j]!);
  return { u: rank < n || full ? completed(u, rank, full ? m : n) : u, s, vt };
}

function rotate(w: Matrix, v: Matrix, p: number, q: number): boolean {
  const [x, y] = [row(w, p), row(w, q)];
  const [alpha, beta, gamma] = [dot(x, x), dot(y, y), dot(x, y)];
  if (!(Math.abs(gamma) > 1e-15 * Math.sqrt(alpha * beta))) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.hypot(zeta, 1));
  const c = 1 / Math.hypot(t, 1);
  turn(x, y, c, c * t);
  turn(row(v, p), row(v, q), c, c * t);
  return true;
}

/** The first `rank` columns, then others that are orthogonal to them and to each other. */
function completed(u: Matrix, rank: number, columns: number): Matrix {
  const known = matrix(u.rows, rank);
  for (let i = 0; i < u.rows; i++) for (let j = 0; j < rank; j++) known.data[i * rank + j] = u.data[i * u.columns + j]!;
  const { a, tau } = reflect(copyOf(known));
  const q = orthogonal(a, tau, columns);
  for (let i = 0; i < u.rows; i++) for (let j = 0; j < rank; j++) q.data[i * columns + j] = known.data[i * rank + j]!;
  return q;
}

function row({ columns, data }: Matrix, i: number): Float64Array {
  return data.subarray(i * columns, (i + 1) * columns);
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!;
  return sum;
}

function norm(x: Float64Array): number {
  return Math.sqrt(dot(x, x));
}

function turn(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let i = 0; i < x.length; i++) {
    const [a, b] = [x[i]!, y[i]!];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}
