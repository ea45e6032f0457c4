import { exchangeRows, type Factors, type Rows, subtractProduct } from "./real-rows.ts";

/** Columns that are eliminated before the rest of the matrix follows, all in one pass. */
const PANEL = 16;

/** Gaussian elimination of real numbers in place, column by column as LAPACK's getrf; gives pivots and `info`. */
export function factorReal(
  a: Float64Array,
  rows: number,
  columns: number,
  pivot: boolean,
): { readonly pivots: readonly number[]; readonly info: number } {
  const pivots: number[] = [];
  let info = 0;
  const rank = Math.min(rows, columns);
  // Without exchanges, a zero on the diagonal ends what its column does, so each column is a panel.
  const width = pivot ? PANEL : 1;
  for (let first = 0; first < rank; first += width) {
    const end = Math.min(first + width, rank);
    let whole = true;
    for (let k = first; k < end; k++) {
      const best = pivot ? largestOf(a, rows, columns, k) : k;
      pivots.push(best + 1);
      if (best !== k) exchangeRows(a, columns, best, k);
      const diagonal = a[k * columns + k]!;
      if (diagonal === 0) {
        if (info === 0) info = k + 1;
        whole = pivot;
        continue;
      }
      const row = k * columns;
      for (let i = k + 1; i < rows; i++) {
        const at = i * columns;
        const factor = a[at + k]! / diagonal;
        a[at + k] = factor;
        if (factor === 0) continue;
        for (let j = k + 1; j < end; j++) a[at + j]! -= factor * a[row + j]!;
      }
    }
    if (!whole) continue;
    const rest = columns - end;
    if (rest === 0) continue;
    const below = (i: number): Rows => ({ of: a, start: i * columns + end, step: columns });
    const factors = (i: number): Factors => ({ of: a, start: i * columns + first, step: columns, across: 1 });
    for (let i = first + 1; i < end; i++) subtractProduct(below(i), 1, rest, below(first), factors(i), i - first);
    subtractProduct(below(end), rows - end, rest, below(first), factors(end), end - first);
  }
  return { pivots, info };
}

/** The row, from `k` on, of the largest number in column `k`. */
function largestOf(a: Float64Array, rows: number, columns: number, k: number): number {
  let best = k;
  let largest = Math.abs(a[k * columns + k]!);
  for (let i = k + 1, at = i * columns + k; i < rows; i++, at += columns) {
    const size = Math.abs(a[at]!);
    if (size > largest) {
      best = i;
      largest = size;
    }
  }
  return best;
}

/** Solves `T X = B` (or `Tᵀ X = B`) of real numbers in place of B, which has `columns`. */
export function solveRealTriangular(
  t: Float64Array,
  b: Float64Array,
  n: number,
  columns: number,
  { backward, unit, transpose }: { readonly backward: boolean; readonly unit: boolean; readonly transpose: boolean },
): void {
  const [down, across] = transpose ? [1, n] : [n, 1];
  if (n <= PANEL) {
    solveFew(t, b, n, columns, { backward, unit, down, across });
    return;
  }
  const row = (i: number): Rows => ({ of: b, start: i * columns, step: columns });
  const factors = (i: number, k: number): Factors => ({ of: t, start: i * down + k * across, step: down, across });
  // Of what is solved already only the rows of a panel are left to subtract.
  for (let done = 0; done < n; done += PANEL) {
    const height = Math.min(PANEL, n - done);
    const first = backward ? n - done - height : done;
    for (let step = 0; step < height; step++) {
      const i = backward ? first + height - 1 - step : first + step;
      const from = backward ? i + 1 : first;
      subtractProduct(row(i), 1, columns, row(from), factors(i, from), step);
      if (unit) continue;
      const diagonal = t[i * n + i]!;
      for (let j = i * columns; j < (i + 1) * columns; j++) b[j]! /= diagonal;
    }
    const after = backward ? 0 : first + height;
    subtractProduct(row(after), n - done - height, columns, row(first), factors(after, first), height);
  }
}

/** The same of few rows, in the same order, without what the panels of many need. */
function solveFew(
  t: Float64Array,
  b: Float64Array,
  n: number,
  columns: number,
  {
    backward,
    unit,
    down,
    across,
  }: { readonly backward: boolean; readonly unit: boolean; readonly down: number; readonly across: number },
): void {
  for (let step = 0; step < n; step++) {
    const i = backward ? n - 1 - step : step;
    const first = i * columns;
    for (let k = backward ? i + 1 : 0, left = step; left > 0; k++, left--) {
      const factor = t[i * down + k * across]!;
      for (let j = 0, from = k * columns; j < columns; j++) b[first + j]! -= factor * b[from + j]!;
    }
    if (unit) continue;
    const diagonal = t[i * (n + 1)]!;
    for (let j = first; j < first + columns; j++) b[j]! /= diagonal;
  }
}
