import { complex, minus, over } from "./complex.ts";
import { at, dotRows, type Matrix, put, zerosLike } from "./matrix.ts";

/** Cholesky's lower triangular factor; `info` is 0, or the order of the first minor that is not positive. */
export function cholesky(a: Matrix): { readonly l: Matrix; readonly info: number } {
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
