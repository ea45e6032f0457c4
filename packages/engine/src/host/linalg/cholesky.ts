import { complex, minus, over } from "./complex.ts";
import { at, dotRows, type Matrix, put, transposed, zerosLike } from "./matrix.ts";
import { choleskyReal } from "./real-cholesky.ts";

/** Cholesky's lower triangular factor; `info` is 0, or the order of the first minor that is not positive. */
export function cholesky(a: Matrix): { readonly l: Matrix; readonly info: number } {
  if (a.im === null) return ofReal(a);
  const n = a.rows;
  const l = zerosLike(a, n, n);
  for (let j = 0; j < n; j++) {
    const diagonal = at(a, j, j).re - dotRows(l, j, l, j, j).re;
    if (!(diagonal > 0)) return { l, info: j + 1 };
    const root = complex(Math.sqrt(diagonal));
    put(l, j, j, root);
    for (let i = j + 1; i < n; i++) put(l, i, j, over(minus(at(a, i, j), dotRows(l, i, l, j, j)), root));
  }
  return { l, info: 0 };
}

function ofReal(a: Matrix): { readonly l: Matrix; readonly info: number } {
  const factor = transposed(a);
  const n = a.rows;
  const info = choleskyReal(factor.re, n);
  const l = zerosLike(a, n, n);
  // Rows of the transpose, as far as it came.
  for (let j = 0; j < (info === 0 ? n : info - 1); j++) {
    for (let i = j; i < n; i++) l.re[i * n + j] = factor.re[j * n + i]!;
  }
  return { l, info };
}
