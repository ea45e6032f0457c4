import { identity, type Matrix, matrix } from "./matrix.ts";

/** Eigenvalues in ascending order, eigenvectors as columns. */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Matrix;
}

/** Lower triangle of Cholesky's factor; `info` is 0, or the order of the first minor that is not positive. */
export function cholesky(a: Matrix): { readonly l: Matrix; readonly info: number } {
  const n = a.rows;
  const l = matrix(n, n);
  for (let j = 0; j < n; j++) {
    let diagonal = a.data[j * n + j]!;
    for (let k = 0; k < j; k++) diagonal -= l.data[j * n + k]! ** 2;
    if (!(diagonal > 0)) return { l, info: j + 1 };
    const root = Math.sqrt(diagonal);
    l.data[j * n + j] = root;
    for (let i = j + 1; i < n; i++) {
      let sum = a.data[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= l.data[i * n + k]! * l.data[j * n + k]!;
      l.data[i * n + j] = sum / root;
    }
  }
  return { l, info: 0 };
}

/** Jacobi's method on one triangle of a symmetric matrix. */
export function symmetricEigen(given: Matrix, upper: boolean): SymmetricEigen {
  const n = given.rows;
  const a = matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const value = upper ? given.data[j * n + i]! : given.data[i * n + j]!;
      a.data[i * n + j] = value;
      a.data[j * n + i] = value;
    }
  }
  const v = identity(n);
  for (let sweep = 0; sweep < 60 && !isDiagonal(a); sweep++) {
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((x, y) => a.data[x * n + x]! - a.data[y * n + y]!);
  const vectors = matrix(n, n);
  for (const [to, from] of order.entries()) {
    const sign = largest(v, from) < 0 ? -1 : 1;
    for (let i = 0; i < n; i++) vectors.data[i * n + to] = sign * v.data[i * n + from]!;
  }
  return { values: Float64Array.from(order, (i) => a.data[i * n + i]!), vectors };
}

function isDiagonal(a: Matrix): boolean {
  let [off, all] = [0, 0];
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < a.rows; j++) {
      const square = a.data[i * a.rows + j]! ** 2;
      all += square;
      if (i !== j) off += square;
    }
  }
  return !(off > all * 1e-32);
}

/** Makes the elements at (p, q) and (q, p) zero. */
function rotate(a: Matrix, v: Matrix, p: number, q: number): void {
  const n = a.rows;
  const apq = a.data[p * n + q]!;
  if (apq === 0) return;
  const theta = (a.data[q * n + q]! - a.data[p * n + p]!) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  for (let k = 0; k < n; k++) turn(a.data, k * n + p, k * n + q, c, s);
  for (let k = 0; k < n; k++) turn(a.data, p * n + k, q * n + k, c, s);
  for (let k = 0; k < n; k++) turn(v.data, k * n + p, k * n + q, c, s);
}

function turn(data: Float64Array, p: number, q: number, c: number, s: number): void {
  const [x, y] = [data[p]!, data[q]!];
  data[p] = c * x - s * y;
  data[q] = s * x + c * y;
}

/** The element of a column that is largest by size: the first one decides the sign of an eigenvector. */
function largest({ rows, columns, data }: Matrix, column: number): number {
  let best = 0;
  for (let i = 0; i < rows; i++) {
    const value = data[i * columns + column]!;
    if (Math.abs(value) > Math.abs(best) * (1 + 1e-9)) best = value;
  }
  return best;
}
