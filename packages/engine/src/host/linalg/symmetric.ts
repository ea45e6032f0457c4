import { complex, conjugate } from "./complex.ts";
import { reduce } from "./hessenberg.ts";
import { at, type Matrix, put, transposed, zerosLike } from "./matrix.ts";
import { diagonalize, type Tridiagonal } from "./tridiagonal.ts";

/** Eigenvalues in ascending order, eigenvectors as columns. */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Matrix;
}

/** Decomposes a Hermitian matrix of which one triangle is given. Vectors have the signs and phases of LAPACK's steqr. */
export function symmetricEigen(given: Matrix, upper: boolean, precision: number): SymmetricEigen {
  const n = given.rows;
  // LAPACK reduces an upper triangle from its end, as the lower triangle of the reversed matrix.
  const { h, q } = reduce(upper ? backwards(hermitian(given, true)) : hermitian(given, false));
  const place = (i: number): number => (upper ? n - 1 - i : i);
  const t: Tridiagonal = {
    diagonal: Float64Array.from({ length: n }, (_, i) => at(h, place(i), place(i)).re),
    off: Float64Array.from({ length: Math.max(n - 1, 0) }, (_, i) => {
      const k = Math.min(place(i), place(i + 1));
      return at(h, k + 1, k).re;
    }),
  };
  // The vectors are rows here, because the rotations then act on contiguous memory.
  const rows = transposed(upper ? backwards(q) : q);
  diagonalize(t, rows, precision);
  const order = Array.from({ length: n }, (_, i) => i).sort((x, y) => t.diagonal[x]! - t.diagonal[y]!);
  const vectors = zerosLike(given, n, n);
  for (const [to, from] of order.entries()) for (let i = 0; i < n; i++) put(vectors, i, to, at(rows, from, i));
  return { values: Float64Array.from(order, (i) => t.diagonal[i]!), vectors };
}

/** Returns the Hermitian matrix that has a given triangle. */
function hermitian(given: Matrix, upper: boolean): Matrix {
  const n = given.rows;
  const a = zerosLike(given, n, n);
  for (let i = 0; i < n; i++) {
    put(a, i, i, complex(at(given, i, i).re));
    for (let j = 0; j < i; j++) {
      const value = upper ? conjugate(at(given, j, i)) : at(given, i, j);
      put(a, i, j, value);
      put(a, j, i, conjugate(value));
    }
  }
  return a;
}

/** Returns a matrix with its rows and columns in reverse order. */
function backwards({ rows, columns, re, im }: Matrix): Matrix {
  return { rows, columns, re: re.slice().reverse(), im: im === null ? null : im.slice().reverse() };
}
