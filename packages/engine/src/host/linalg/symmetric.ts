import { complex, conjugate } from "./complex.ts";
import { reduce } from "./hessenberg.ts";
import { at, columnsOf, copyOf, type Matrix, put, zerosLike } from "./matrix.ts";
import { tridiagonalReal } from "./real-tridiagonal.ts";
import { diagonalize, type Tridiagonal } from "./tridiagonal.ts";

/** Eigenvalues in ascending order, eigenvectors as columns. */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Matrix;
}

/** Decomposes a Hermitian matrix of which one triangle is given. Vectors have the signs and phases of LAPACK's steqr. */
export function symmetricEigen(given: Matrix, upper: boolean, precision: number): SymmetricEigen {
  const { t, q } = tridiagonal(given, upper);
  const found = q();
  diagonalize(t, found.im === null ? [found.re] : [found.re, found.im], precision);
  const order = ascending(t.diagonal);
  return { values: Float64Array.from(order, (i) => t.diagonal[i]!), vectors: columnsOf(found, order) };
}

/** The eigenvalues alone. */
export function symmetricValues(given: Matrix, upper: boolean, precision: number): Float64Array {
  const { t } = tridiagonal(given, upper);
  diagonalize(t, [], precision);
  return Float64Array.from(ascending(t.diagonal), (i) => t.diagonal[i]!);
}

function ascending(values: Float64Array): readonly number[] {
  return Array.from(values.keys()).sort((x, y) => values[x]! - values[y]!);
}

/** A tridiagonal matrix, and what makes the unitary matrix that reduces the given one to it. */
interface Reduced {
  readonly t: Tridiagonal;
  q(): Matrix;
}

function tridiagonal(given: Matrix, upper: boolean): Reduced {
  // LAPACK reduces an upper triangle from its end, as the lower triangle of the reversed matrix.
  const a = upper ? backwards(given) : given;
  const { t, q } = a.im === null ? tridiagonalReal(copyOf(a)) : complexForm(a);
  if (!upper) return { t, q };
  return { t: { diagonal: t.diagonal.reverse(), off: t.off.reverse() }, q: () => backwards(q()) };
}

function complexForm(a: Matrix): Reduced {
  const n = a.rows;
  const { h, q } = reduce(hermitian(a));
  const diagonal = Float64Array.from({ length: n }, (_, i) => at(h, i, i).re);
  const off = Float64Array.from({ length: Math.max(n - 1, 0) }, (_, i) => at(h, i + 1, i).re);
  return { t: { diagonal, off }, q: () => q };
}

/** Returns the Hermitian matrix that has a given lower triangle. */
function hermitian(given: Matrix): Matrix {
  const n = given.rows;
  const a = zerosLike(given, n, n);
  for (let i = 0; i < n; i++) {
    put(a, i, i, complex(at(given, i, i).re));
    for (let j = 0; j < i; j++) {
      const value = at(given, i, j);
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
