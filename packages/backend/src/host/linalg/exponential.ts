import { identity, type Matrix, matrix, product } from "./matrix.ts";

/** exp(A) by scaling, Taylor's series and squaring. */
export function matrixExponential(a: Matrix): Matrix {
  const n = a.rows;
  let norm = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.abs(a.data[i * n + j]!);
    norm = Math.max(norm, sum);
  }
  const squarings = norm > 0.5 && Number.isFinite(norm) ? Math.ceil(Math.log2(norm)) + 1 : 0;
  const scaled = matrix(
    n,
    n,
    a.data.map((value) => value / 2 ** squarings),
  );
  const result = identity(n);
  let term = identity(n);
  for (let k = 1; k <= 18; k++) {
    term = product(term, scaled);
    for (let i = 0; i < term.data.length; i++) {
      term.data[i]! /= k;
      result.data[i]! += term.data[i]!;
    }
  }
  let power = result;
  for (let i = 0; i < squarings; i++) power = product(power, power);
  return power;
}
