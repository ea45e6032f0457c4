import { randomUnit } from "@pt2/testing/random";
import { describe, expect, test } from "vitest";
import { absolute, complex, minus } from "./complex.ts";
import { eigen } from "./eigen.ts";
import { reduce } from "./hessenberg.ts";
import { factorLdl } from "./ldl.ts";
import { adjointOf, at, identityLike, type Matrix, matrix, product, put, transposed } from "./matrix.ts";
import { orthogonal, reflect } from "./qr.ts";
import { svd } from "./svd.ts";
import { symmetricEigen } from "./symmetric.ts";

const PRECISION = 2 ** -53;

/** Numbers in [-1/2, 1/2). */
function numbersOf(seed: number): () => number {
  const next = randomUnit(seed);
  return () => next() - 0.5;
}

function random(rows: number, columns: number, isComplex: boolean): Matrix {
  const next = numbersOf(rows * 31 + columns + (isComplex ? 7 : 0));
  const a = matrix(rows, columns, isComplex);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) put(a, i, j, complex(next(), next()));
  return a;
}

function hermitian(n: number, isComplex: boolean): Matrix {
  const a = random(n, n, isComplex);
  return product(a, adjointOf(a));
}

function diagonal(values: ArrayLike<number>, like: Matrix): Matrix {
  const a = identityLike(like, values.length);
  for (let i = 0; i < values.length; i++) put(a, i, i, complex(values[i]!));
  return a;
}

/** A real matrix as one of complex numbers. */
function widened({ rows, columns, re, im }: Matrix): Matrix {
  return { rows, columns, re, im: im ?? new Float64Array(re.length) };
}

function expectSame(a: Matrix, b: Matrix, tolerance = 1e-12): void {
  expect([a.rows, a.columns]).toEqual([b.rows, b.columns]);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < a.columns; j++) expect(absolute(minus(at(a, i, j), at(b, i, j)))).toBeLessThan(tolerance);
  }
}

function expectUnitary(q: Matrix): void {
  expectSame(product(adjointOf(q), q), identityLike(q, q.columns));
}

describe.each([
  ["real", false],
  ["complex", true],
])("of %s numbers", (_, isComplex) => {
  test.each([1, 2, 3, 7, 31])("eigenvectors of a Hermitian matrix of %i rows satisfy its equation", (n) => {
    const a = hermitian(n, isComplex);
    for (const upper of [false, true]) {
      const { values, vectors } = symmetricEigen(a, upper, PRECISION);
      expect([...values]).toEqual([...values].sort((x, y) => x - y));
      expectUnitary(vectors);
      expectSame(product(a, vectors), product(vectors, diagonal(values, a)));
    }
  });

  test("eigenvectors are found where eigenvalues are equal", () => {
    const a = diagonal([2, 2, 2, 1, 1], random(1, 1, isComplex));
    const { values, vectors } = symmetricEigen(a, false, PRECISION);
    expect([...values]).toEqual([1, 1, 2, 2, 2]);
    expectUnitary(vectors);
  });

  test.each([1, 2, 3, 7, 31])("eigenvectors of any matrix of %i rows satisfy its equation", (n) => {
    const a = random(n, n, isComplex);
    const { values, vectors } = eigen(a, 2 * PRECISION);
    const scaled = product(vectors, identityLike(vectors, n));
    for (let j = 0; j < n; j++) {
      const column = matrix(n, 1, true);
      for (let i = 0; i < n; i++) put(column, i, 0, at(vectors, i, j));
      const value = matrix(1, 1, true);
      put(value, 0, 0, at(values, 0, j));
      const multiple = product(column, value);
      for (let i = 0; i < n; i++) put(scaled, i, j, at(multiple, i, 0));
      expect(at(product(adjointOf(column), column), 0, 0).re).toBeCloseTo(1, 12);
    }
    expectSame(product(widened(a), vectors), scaled);
  });

  test("eigenvalues are found where there are not enough eigenvectors", () => {
    const a = matrix(5, 5, isComplex);
    for (let i = 0; i < 5; i++) for (const j of [i, i + 1]) if (j < 5) put(a, i, j, complex(1));
    const { values, vectors } = eigen(a, 2 * PRECISION);
    expect([...values.re]).toEqual([1, 1, 1, 1, 1]);
    for (let j = 0; j < 5; j++) expect(absolute(at(vectors, 0, j))).toBeCloseTo(1, 10);
  });

  test.each([
    [5, 3],
    [5, 4],
    [4, 5],
    [3, 7],
    [11, 3],
    [3, 11],
    [7, 7],
    [1, 1],
  ])("singular vectors of a matrix of %i by %i give the matrix back", (rows, columns) => {
    const a = random(rows, columns, isComplex);
    const thin = svd(a, false, PRECISION);
    expectSame(product(product(thin.u, diagonal(thin.s, a)), thin.vh), a);
    const full = svd(a, true, PRECISION);
    expectUnitary(full.u);
    expectUnitary(full.vh);
    expect([full.u.columns, full.vh.rows]).toEqual([rows, columns]);
  });

  test("singular vectors of zeros are a basis", () => {
    const { u, s, vh } = svd(matrix(3, 2, isComplex), true, PRECISION);
    expect([...s]).toEqual([0, 0]);
    expectUnitary(u);
    expectUnitary(vh);
  });

  test("reflections give Hessenberg's form", () => {
    const a = random(7, 5, isComplex);
    const { a: r, tau } = reflect(a);
    const q = orthogonal(r, tau, 5);
    expectUnitary(q);
    const upper = matrix(5, 5, isComplex);
    for (let i = 0; i < 5; i++) for (let j = i; j < 5; j++) put(upper, i, j, at(r, i, j));
    expectSame(product(q, upper), a);
    const square = random(7, 7, isComplex);
    const form = reduce(square);
    expectUnitary(form.q);
    expectSame(product(product(form.q, form.h), adjointOf(form.q)), square);
  });

  test("an indefinite matrix is factorized as L D L", () => {
    const a = random(7, 7, isComplex);
    for (const isHermitian of [false, true]) {
      const { pivots, info } = factorLdl(product(a, isHermitian ? adjointOf(a) : transposed(a)), isHermitian);
      expect(info).toBe(0);
      expect(pivots.every((pivot) => Math.abs(pivot) >= 1 && Math.abs(pivot) <= 7)).toBe(true);
    }
  });
});

test("an eigenvalue of a real matrix is real, or one of a conjugate pair", () => {
  const { values } = eigen(random(13, 13, false), 2 * PRECISION);
  for (let j = 0; j < 13; j++) {
    const { re, im } = at(values, 0, j);
    if (im === 0) continue;
    expect(at(values, 0, j + 1)).toEqual({ re, im: -im });
    expect(im).toBeGreaterThan(0);
    j++;
  }
});

test("NaNs end the iterations", () => {
  const a = matrix(3, 3, false);
  a.re.fill(Number.NaN);
  expect(symmetricEigen(a, false, PRECISION).values.every(Number.isNaN)).toBe(true);
  expect(eigen(a, 2 * PRECISION).values.re.every(Number.isNaN)).toBe(true);
});
