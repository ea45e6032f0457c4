import {
  absolute,
  type Complex,
  complex,
  conjugate,
  magnitude,
  minus,
  negative,
  over,
  plus,
  scaled,
  times,
} from "./complex.ts";
import { reduce } from "./hessenberg.ts";
import { addRow, at, type Matrix, matrix, put, rowNorm, scaleLine, transposed } from "./matrix.ts";
import { zeros } from "./room.ts";
import { rotation } from "./rotations.ts";
import { triangulate, turnTo } from "./schur.ts";
import { triangulateReal } from "./schur-real.ts";

/** Eigenvalues and eigenvectors, both complex. */
export interface Eigen {
  /** In one row. */
  readonly values: Matrix;
  /** As columns. */
  readonly vectors: Matrix;
}

/** Decomposes a square matrix. Eigenvalues have the order, and unit vectors the phases, of LAPACK's geev. */
export function eigen(a: Matrix, precision: number): Eigen {
  const n = a.rows;
  const { h, q } = reduce(a);
  const real = a.im === null;
  const rows = transposed(q);
  if (real) triangulateReal({ h, q: rows }, precision);
  const t = { h: withImaginary(h), q: withImaginary(rows) };
  const pairs = real ? splitPairs(t.h, t.q) : new Map<number, Complex>();
  if (!real) triangulate(t, precision);
  const [values, vectors] = [matrix(1, n, true), matrix(n, n, true)];
  for (let j = 0; j < n; j++) {
    const vector = vectorOf(t.h, t.q, j);
    const turn = pairs.get(j);
    if (real && turn === undefined) vector.im!.fill(0);
    scaleLine(vector, "row", 0, complex(1 / rowNorm(vector, 0)));
    if (!real || turn !== undefined) makeReal(vector, turn);
    put(values, 0, j, at(t.h, j, j));
    for (let i = 0; i < n; i++) put(vectors, i, j, at(vector, 0, i));
    if (turn === undefined) continue;
    put(values, 0, j + 1, conjugate(at(t.h, j, j)));
    for (let i = 0; i < n; i++) put(vectors, i, j + 1, conjugate(at(vector, 0, i)));
    j++;
  }
  return { values, vectors };
}

function withImaginary(a: Matrix): Matrix {
  return a.im === null ? { ...a, im: zeros(a.re.length) } : a;
}

/**
 * Makes 2×2 blocks with conjugate eigenvalues triangular. Gives where they begin, and what turns the first vector of the
 * basis to the one that LAPACK begins its eigenvector with.
 */
function splitPairs(t: Matrix, q: Matrix): ReadonlyMap<number, Complex> {
  const pairs = new Map<number, Complex>();
  for (let k = 0; k + 1 < t.rows; k++) {
    const [upper, lower] = [at(t, k, k + 1).re, at(t, k + 1, k).re];
    if (lower === 0) continue;
    const value = complex(at(t, k, k).re, Math.sqrt(Math.abs(lower)) * Math.sqrt(Math.abs(upper)));
    turnTo(t, q, k, complex(0, value.im), complex(lower));
    put(t, k, k, value);
    put(t, k + 1, k, complex(0));
    put(t, k + 1, k + 1, conjugate(value));
    pairs.set(k, complex(0, Math.abs(upper) < Math.abs(lower) && lower > 0 ? 1 : -1));
    k++;
  }
  return pairs;
}

/** The eigenvector of the j-th element on the diagonal of a triangular matrix, in the basis of Q's rows, as a row. */
function vectorOf(t: Matrix, q: Matrix, j: number): Matrix {
  const value = at(t, j, j);
  const least = Math.max(2 ** -52 * magnitude(value), Number.MIN_VALUE * 2 ** 52);
  const x: Complex[] = [];
  x[j] = complex(1);
  for (let i = j - 1; i >= 0; i--) {
    let sum = complex(0);
    for (let k = i + 1; k <= j; k++) sum = plus(sum, times(at(t, i, k), x[k]!));
    const apart = minus(at(t, i, i), value);
    x[i] = over(negative(sum), magnitude(apart) < least ? complex(least) : apart);
    // If eigenvalues are equal, elements may grow until they overflow.
    const size = magnitude(x[i]!);
    if (size > 1e100) for (let k = i; k <= j; k++) x[k] = scaled(x[k]!, 1 / size);
  }
  const vector = matrix(1, t.rows, true);
  for (const [k, factor] of x.entries()) addRow(vector, 0, q, k, factor);
  return vector;
}

/** Turns a vector so that its largest element is real: positive, or on the side where `turn` brings its real part. */
function makeReal(vector: Matrix, turn: Complex | undefined): void {
  let best = 0;
  for (let i = 0; i < vector.columns; i++) {
    if (absolute(at(vector, 0, i)) > absolute(at(vector, 0, best))) best = i;
  }
  const largest = at(vector, 0, best);
  const size = absolute(largest);
  const turned = turn === undefined ? complex(size) : times(largest, turn);
  const { r } = rotation(turned.re, turned.im);
  scaleLine(vector, "row", 0, scaled(conjugate(largest), Math.sign(r) / size));
  put(vector, 0, best, complex(r));
}
