import { copyOf, identity, type Matrix } from "./matrix.ts";

/** Householder's reflections below the diagonal, R on and above it, as LAPACK's geqrf gives them. */
export interface Reflections {
  readonly a: Matrix;
  readonly tau: Float64Array;
}

/** Factorises by reflections. */
export function reflect(given: Matrix): Reflections {
  const a = copyOf(given);
  const { rows, columns, data } = a;
  const tau = new Float64Array(Math.min(rows, columns));
  for (let k = 0; k < tau.length; k++) {
    let rest = 0;
    for (let i = k + 1; i < rows; i++) rest = Math.hypot(rest, data[i * columns + k]!);
    if (rest === 0) continue;
    const alpha = data[k * columns + k]!;
    const beta = alpha >= 0 ? -Math.hypot(alpha, rest) : Math.hypot(alpha, rest);
    tau[k] = (beta - alpha) / beta;
    for (let i = k + 1; i < rows; i++) data[i * columns + k]! /= alpha - beta;
    data[k * columns + k] = beta;
    applyReflection(a, tau, k, a, k + 1);
  }
  return { a, tau };
}

/** `Q B` or `Qᵀ B`, in place of B. */
export function applyQ(a: Matrix, tau: ArrayLike<number>, b: Matrix, transpose: boolean): void {
  const count = tau.length;
  for (let step = 0; step < count; step++) applyReflection(a, tau, transpose ? step : count - 1 - step, b, 0);
}

/** The first columns of Q. */
export function orthogonal(a: Matrix, tau: ArrayLike<number>, columns: number): Matrix {
  const q = identity(a.rows, columns);
  applyQ(a, tau, q, false);
  return q;
}

function applyReflection(a: Matrix, tau: ArrayLike<number>, k: number, b: Matrix, from: number): void {
  const factor = tau[k]!;
  if (factor === 0) return;
  for (let j = from; j < b.columns; j++) {
    let sum = b.data[k * b.columns + j]!;
    for (let i = k + 1; i < a.rows; i++) sum += a.data[i * a.columns + k]! * b.data[i * b.columns + j]!;
    sum *= factor;
    b.data[k * b.columns + j]! -= sum;
    for (let i = k + 1; i < a.rows; i++) b.data[i * b.columns + j]! -= sum * a.data[i * a.columns + k]!;
  }
}
