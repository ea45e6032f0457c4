import { type Complex, complex, conjugate, magnitude, minus, negative, ONE, over, times } from "./complex.ts";
import { addRow, at, copyOf, type Matrix, put, swapRows } from "./matrix.ts";
import { requireBlockPivots } from "./pivots.ts";
import { zeros } from "./room.ts";

/** `P A Pᵀ = L D Lᵀ` in the lower triangle of one matrix, as LAPACK's sytrf gives it; hetrf's `L D Lᴴ` where Hermitian. */
export interface Ldl {
  readonly ld: Matrix;
  /** The row that each was exchanged with, from 1; both rows of a 2×2 block of D have it negative. */
  readonly pivots: Float64Array;
  /** 0, or the first zero block of D, counted from 1. */
  readonly info: number;
}

/** Returns an element of the upper triangle, given the one of the lower triangle. */
type Mirror = (value: Complex) => Complex;

/** A diagonal element is a good pivot if it exceeds this part of its column's largest element (Bunch and Kaufman). */
const GOOD = (1 + Math.sqrt(17)) / 8;

/** The factors of the symmetric or Hermitian matrix whose lower triangle is given. */
export function factorLdl(a: Matrix, hermitian: boolean): Ldl {
  const ld = copyOf(a);
  const n = ld.rows;
  const mirror = mirrorOf(hermitian);
  const real = ({ re, im }: Complex): Complex => (hermitian ? complex(re) : { re, im });
  for (let i = 0; i < n; i++) {
    put(ld, i, i, real(at(ld, i, i)));
    for (let j = i + 1; j < n; j++) put(ld, i, j, complex(0));
  }
  const pivots = zeros(n);
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
    exchange(ld, k, last, row, mirror);
    for (let j = last + 1; j < n; j++) {
      // Row j of L from row j of A, then the columns to its left of what remains.
      const factors =
        size === 1
          ? [over(at(ld, j, k), at(ld, k, k))]
          : solvePair(blockAt(ld, k, mirror, true), at(ld, j, k), at(ld, j, last));
      for (let i = j; i < n; i++) {
        for (const [q, factor] of factors.entries()) {
          const left = minus(at(ld, i, j), times(at(ld, i, k + q), mirror(factor)));
          put(ld, i, j, i === j ? real(left) : left);
        }
      }
      for (const [q, factor] of factors.entries()) put(ld, j, k + q, factor);
    }
    for (let q = k; q <= last; q++) pivots[q] = size === 1 ? row + 1 : -(row + 1);
    k += size;
  }
  return { ld, pivots, info };
}

/** Solves `A X = B` from the factors of A. */
export function solveLdl(ld: Matrix, pivots: ArrayLike<number>, b: Matrix, hermitian: boolean): Matrix {
  requireBlockPivots("linalg_ldl_solve", pivots, ld.rows);
  const x = copyOf(b);
  const n = ld.rows;
  const mirror = mirrorOf(hermitian);
  const blocks: number[] = [];
  for (let k = 0; k < n; k += pivots[k]! < 0 ? 2 : 1) blocks.push(k);
  for (const k of blocks) {
    const size = pivots[k]! < 0 ? 2 : 1;
    swapRows(x, k + size - 1, Math.abs(pivots[k]!) - 1);
    for (let i = k + size; i < n; i++) {
      for (let q = k; q < k + size; q++) addRow(x, i, x, q, negative(at(ld, i, q)));
    }
    for (let c = 0; c < b.columns; c++) {
      if (size === 1) put(x, k, c, over(at(x, k, c), at(ld, k, k)));
      else {
        const [first, second] = solvePair(blockAt(ld, k, mirror, false), at(x, k, c), at(x, k + 1, c));
        put(x, k, c, first);
        put(x, k + 1, c, second);
      }
    }
  }
  for (const k of blocks.reverse()) {
    const size = pivots[k]! < 0 ? 2 : 1;
    for (let i = k + size; i < n; i++) {
      for (let q = k; q < k + size; q++) addRow(x, q, x, i, negative(mirror(at(ld, i, q))));
    }
    swapRows(x, k + size - 1, Math.abs(pivots[k]!) - 1);
  }
  return x;
}

function mirrorOf(hermitian: boolean): Mirror {
  return hermitian ? conjugate : (value) => value;
}

/** Returns which row comes to the diagonal at k, and the size of the block that it ends; 0 if the column is zero. */
function pivotOf(ld: Matrix, k: number): { readonly row: number; readonly size: 0 | 1 | 2 } {
  const n = ld.rows;
  const size = (i: number, j: number): number => magnitude(at(ld, Math.max(i, j), Math.min(i, j)));
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

/** Exchanges two rows and columns of what is left of a matrix from column `first` on, in the lower triangle. */
function exchange(ld: Matrix, first: number, i: number, p: number, mirror: Mirror): void {
  if (i === p) return;
  const swap = (row: number, column: number, otherRow: number, otherColumn: number, by: Mirror): void => {
    const kept = at(ld, row, column);
    put(ld, row, column, by(at(ld, otherRow, otherColumn)));
    put(ld, otherRow, otherColumn, by(kept));
  };
  const same: Mirror = (value) => value;
  for (let j = first; j < i; j++) swap(i, j, p, j, same);
  swap(i, i, p, p, same);
  for (let j = i + 1; j < p; j++) swap(j, i, p, j, mirror);
  put(ld, p, i, mirror(at(ld, p, i)));
  for (let j = p + 1; j < ld.rows; j++) swap(j, i, j, p, same);
}

/** A 2×2 block of D. */
interface Block {
  readonly first: Complex;
  readonly lower: Complex;
  readonly upper: Complex;
  readonly second: Complex;
}

/** The block that begins at k, or its transpose. */
function blockAt(ld: Matrix, k: number, mirror: Mirror, transpose: boolean): Block {
  const off = at(ld, k + 1, k);
  const [lower, upper] = transpose ? [mirror(off), off] : [off, mirror(off)];
  return { first: at(ld, k, k), lower, upper, second: at(ld, k + 1, k + 1) };
}

/** Solves the equations of a block for one right-hand side, everything divided by what is beside the diagonal. */
function solvePair({ first, lower, upper, second }: Block, y0: Complex, y1: Complex): readonly [Complex, Complex] {
  const [a, d] = [over(first, upper), over(second, lower)];
  const [u, v] = [over(y0, upper), over(y1, lower)];
  const determinant = minus(times(a, d), ONE);
  return [over(minus(times(d, u), v), determinant), over(minus(times(a, v), u), determinant)];
}
