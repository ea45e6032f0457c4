import { copyOf, type Matrix } from "./matrix.ts";

/** `P A Pᵀ = L D Lᵀ` in the lower triangle of one matrix, as LAPACK's sytrf gives it. */
export interface Ldl {
  readonly ld: Matrix;
  /** The row that each was exchanged with, from 1; both rows of a 2×2 block of D have it negative. */
  readonly pivots: Float64Array;
  /** 0, or the first zero block of D, counted from 1. */
  readonly info: number;
}

/** Beyond this part of the largest element of its column a diagonal element is a good pivot (Bunch and Kaufman). */
const GOOD = (1 + Math.sqrt(17)) / 8;

/** The factors of the symmetric matrix whose lower triangle is given. */
export function factorLdl(a: Matrix): Ldl {
  const ld = copyOf(a);
  const { rows: n, data } = ld;
  for (let i = 0; i < n; i++) data.fill(0, i * n + i + 1, i * n + n);
  const pivots = new Float64Array(n);
  const at = (i: number, j: number): number => data[i * n + j]!;
  let info = 0;
  for (let k = 0; k < n; ) {
    const { row, size } = pivotOf(ld, k);
    if (size === 0) {
      if (info === 0) info = k + 1;
      pivots[k] = k + 1;
      k++;
      continue;
    }
    const last = k + size - 1;
    exchange(ld, k, last, row);
    for (let j = last + 1; j < n; j++) {
      // Row j of L from row j of A, then the columns to its left of what remains.
      const factors = size === 1 ? [at(j, k) / at(k, k)] : solvePair(ld, k, at(j, k), at(j, last));
      for (let i = j; i < n; i++) {
        for (const [q, factor] of factors.entries()) data[i * n + j]! -= at(i, k + q) * factor;
      }
      for (const [q, factor] of factors.entries()) data[j * n + k + q] = factor;
    }
    for (let q = k; q <= last; q++) pivots[q] = size === 1 ? row + 1 : -(row + 1);
    k += size;
  }
  return { ld, pivots, info };
}

/** Solves `A X = B` from the factors of A. */
export function solveLdl({ rows: n, data }: Matrix, pivots: ArrayLike<number>, b: Matrix): Matrix {
  const x = copyOf(b);
  const wide = b.columns;
  const subtract = (to: number, from: number, factor: number): void => {
    for (let c = 0; c < wide; c++) x.data[to * wide + c]! -= factor * x.data[from * wide + c]!;
  };
  const blocks: number[] = [];
  for (let k = 0; k < n; k += pivots[k]! < 0 ? 2 : 1) blocks.push(k);
  for (const k of blocks) {
    const size = pivots[k]! < 0 ? 2 : 1;
    swapRows(x, k + size - 1, Math.abs(pivots[k]!) - 1);
    for (let i = k + size; i < n; i++) for (let q = k; q < k + size; q++) subtract(i, q, data[i * n + q]!);
    for (let c = 0; c < wide; c++) {
      if (size === 1) x.data[k * wide + c]! /= data[k * n + k]!;
      else {
        const [first, second] = solvePair(
          { rows: n, columns: n, data },
          k,
          x.data[k * wide + c]!,
          x.data[(k + 1) * wide + c]!,
        );
        [x.data[k * wide + c], x.data[(k + 1) * wide + c]] = [first!, second!];
      }
    }
  }
  for (const k of blocks.reverse()) {
    const size = pivots[k]! < 0 ? 2 : 1;
    for (let i = k + size; i < n; i++) for (let q = k; q < k + size; q++) subtract(q, i, data[i * n + q]!);
    swapRows(x, k + size - 1, Math.abs(pivots[k]!) - 1);
  }
  return x;
}

/** Which row comes to the diagonal at k, and the size of the block that it ends; 0 where the column is zero. */
function pivotOf({ rows: n, data }: Matrix, k: number): { readonly row: number; readonly size: 0 | 1 | 2 } {
  const size = (i: number, j: number): number => Math.abs(data[Math.max(i, j) * n + Math.min(i, j)]!);
  const diagonal = size(k, k);
  let row = k;
  let largest = 0;
  for (let i = k + 1; i < n; i++) {
    if (size(i, k) > largest) [row, largest] = [i, size(i, k)];
  }
  if (Math.max(diagonal, largest) === 0 || Number.isNaN(diagonal)) return { row: k, size: 0 };
  if (diagonal >= GOOD * largest) return { row: k, size: 1 };
  let most = 0;
  for (let j = k; j < n; j++) if (j !== row) most = Math.max(most, size(row, j));
  if (diagonal >= GOOD * largest * (largest / most)) return { row: k, size: 1 };
  return { row, size: size(row, row) >= GOOD * most ? 1 : 2 };
}

/** Exchanges two rows and columns of what is left of a symmetric matrix from column `first` on, in the lower triangle. */
function exchange({ rows: n, data }: Matrix, first: number, i: number, p: number): void {
  if (i === p) return;
  const swap = (x: number, y: number): void => {
    [data[x], data[y]] = [data[y]!, data[x]!];
  };
  for (let j = first; j < i; j++) swap(i * n + j, p * n + j);
  swap(i * n + i, p * n + p);
  for (let j = i + 1; j < p; j++) swap(j * n + i, p * n + j);
  for (let j = p + 1; j < n; j++) swap(j * n + i, j * n + p);
}

/** Solves the 2×2 block at k for two right-hand sides of one vector. */
function solvePair({ columns: n, data }: Matrix, k: number, y0: number, y1: number): readonly [number, number] {
  const off = data[(k + 1) * n + k]!;
  const [a, d] = [data[k * n + k]! / off, data[(k + 1) * n + k + 1]! / off];
  const [u, v] = [y0 / off, y1 / off];
  const determinant = a * d - 1;
  return [(d * u - v) / determinant, (a * v - u) / determinant];
}

function swapRows({ columns, data }: Matrix, i: number, k: number): void {
  if (i === k) return;
  for (let j = 0; j < columns; j++) {
    [data[i * columns + j], data[k * columns + j]] = [data[k * columns + j]!, data[i * columns + j]!];
  }
}
