import { type Rows, subtractProduct } from "./real-rows.ts";

/** Rows that are finished before those below follow, all in one pass. */
const PANEL = 16;

/**
 * Cholesky's factor of real numbers in place: the upper triangle, row-major, becomes the transpose of the lower triangular
 * factor, because its rows stand together. Gives 0, or the order of the first minor that is not positive, where it ends.
 */
export function choleskyReal(a: Float64Array, n: number): number {
  const rows = (i: number, column: number): Rows => ({ of: a, start: i * n + column, step: n });
  const factors = (i: number, k: number): Rows & { readonly across: number } => ({
    of: a,
    start: k * n + i,
    step: 1,
    across: n,
  });
  for (let first = 0; first < n; first += PANEL) {
    const end = Math.min(first + PANEL, n);
    for (let k = first; k < end; k++) {
      subtractProduct(rows(k, k), 1, n - k, rows(first, k), factors(k, first), k - first);
      const diagonal = a[k * n + k]!;
      if (!(diagonal > 0)) return k + 1;
      const root = Math.sqrt(diagonal);
      a[k * n + k] = root;
      for (let at = k * n + k + 1; at < (k + 1) * n; at++) a[at]! /= root;
    }
    // Four rows together, from the diagonal of the first of them: what is left of the others' diagonals does not count.
    for (let i = end; i < n; i += 4) {
      subtractProduct(rows(i, i), Math.min(4, n - i), n - i, rows(first, i), factors(i, first), end - first);
    }
  }
  return 0;
}
