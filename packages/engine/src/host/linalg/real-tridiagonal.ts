import type { Matrix } from "./matrix.ts";
import { orthogonal } from "./qr.ts";
import { makeRealReflection, reflectionVector } from "./real-reflections.ts";
import { zeros } from "./room.ts";
import type { Tridiagonal } from "./tridiagonal.ts";

/** `A = Q T Qᵀ` of a symmetric matrix. */
export interface RealTridiagonal {
  readonly t: Tridiagonal;
  /** Makes Q. */
  q(): Matrix;
}

/** Reduces a symmetric matrix by the reflections of LAPACK's sytd2. The lower triangle is given; it is overwritten. */
export function tridiagonalReal(matrix: Matrix): RealTridiagonal {
  const { rows: n, re: a } = matrix;
  const diagonal = zeros(n);
  const off = zeros(Math.max(n - 1, 0));
  const tau = zeros(off.length);
  for (let k = 0; k < off.length; k++) {
    const column = { of: a, start: (k + 1) * n + k, step: n, count: n - 1 - k };
    const factor = makeRealReflection(column);
    diagonal[k] = a[k * n + k]!;
    off[k] = a[column.start]!;
    tau[k] = factor;
    if (factor !== 0) reflectBoth(a, n, k + 1, reflectionVector(column), factor);
  }
  if (n > 0) diagonal[n - 1] = a[n * n - 1]!;
  const q = (): Matrix => orthogonal(matrix, { rows: 1, columns: tau.length, re: tau, im: null }, n, 1);
  return { t: { diagonal, off }, q };
}

/** `H A H` of the lower triangle from a row on: `A - v wᵀ - w vᵀ`, w = p - (τ pᵀv / 2) v, p = τ A v. */
function reflectBoth(a: Float64Array, n: number, first: number, v: Float64Array, tau: number): void {
  const w = zeros(v.length);
  for (let i = 0, row = first * (n + 1); i < v.length; i++, row += n) {
    const own = v[i]!;
    let sum = a[row + i]! * own;
    for (let j = 0; j < i; j++) {
      const value = a[row + j]!;
      sum += value * v[j]!;
      w[j]! += value * own;
    }
    w[i]! += sum;
  }
  let dot = 0;
  for (let i = 0; i < w.length; i++) {
    w[i]! *= tau;
    dot += w[i]! * v[i]!;
  }
  for (let i = 0; i < w.length; i++) w[i]! -= (tau * dot * v[i]!) / 2;
  for (let i = 0, row = first * (n + 1); i < v.length; i++, row += n) {
    const x = v[i]!;
    const y = w[i]!;
    for (let j = 0; j <= i; j++) a[row + j]! -= x * w[j]! + y * v[j]!;
  }
}
