import { absolute, complex, ONE } from "./complex.ts";
import { addRow, at, identityLike, type Matrix, product, scaleLine } from "./matrix.ts";

/** Computes exp(A) by scaling, Taylor's series and squaring. */
export function matrixExponential(a: Matrix): Matrix {
  const n = a.rows;
  let norm = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += absolute(at(a, i, j));
    norm = Math.max(norm, sum);
  }
  const squarings = norm > 0.5 && Number.isFinite(norm) ? Math.ceil(Math.log2(norm)) + 1 : 0;
  const result = identityLike(a, n);
  let term = identityLike(a, n);
  for (let k = 1; k <= 18; k++) {
    term = product(term, a);
    for (let i = 0; i < n; i++) {
      scaleLine(term, "row", i, complex(1 / (k * 2 ** squarings)));
      addRow(result, i, term, i, ONE);
    }
  }
  let power = result;
  for (let i = 0; i < squarings; i++) power = product(power, power);
  return power;
}
