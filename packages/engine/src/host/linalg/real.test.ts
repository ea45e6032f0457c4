// Real matrices have code of their own, in panels of rows; the code for complex ones gives the same.
import { randomUnit } from "@pt2/testing/random";
import { describe, expect, test } from "vitest";
import { cholesky } from "./cholesky.ts";
import { factorLu, solveLu, solveTriangular } from "./lu.ts";
import { adjointOf, copyOf, type Matrix, matrix, product } from "./matrix.ts";
import { applyQ, orthogonal, reflect } from "./qr.ts";
import { singularValues, svd } from "./svd.ts";
import { symmetricEigen, symmetricValues } from "./symmetric.ts";

const PRECISION = 2 ** -53;

function random(rows: number, columns: number): Matrix {
  const next = randomUnit(rows * 31 + columns);
  const a = matrix(rows, columns, false);
  for (let i = 0; i < a.re.length; i++) a.re[i] = next() - 0.5;
  return a;
}

function widened(a: Matrix): Matrix {
  return { ...a, im: new Float64Array(a.re.length) };
}

/** Sums in another order round otherwise: `tolerance` is relative to the largest element. */
function expectSame(found: Matrix, right: Matrix, tolerance = 1e-11): void {
  expect([found.rows, found.columns, found.im]).toEqual([right.rows, right.columns, null]);
  const largest = right.re.reduce((size, value) => Math.max(size, Math.abs(value)), 1);
  const worst = found.re.reduce((size, value, i) => Math.max(size, Math.abs(value - right.re[i]!)), 0);
  expect(worst / largest).toBeLessThan(tolerance);
}

// On both sides of the width of a panel, and of the rows that go together.
const SIZES = [1, 2, 3, 4, 5, 15, 16, 17, 21, 33, 50];

describe.each(SIZES)("real matrices of %i rows are worked on as complex ones", (n) => {
  test.each([n, n + 3, Math.max(n - 2, 1), 2 * n])("L U factors and reflections, of %i columns", (columns) => {
    const a = random(n, columns);
    for (const pivot of [true, false]) {
      const [found, right] = [factorLu(a, pivot), factorLu(widened(a), pivot)];
      // Without pivots the elements grow, and their rounding with them.
      expectSame(found.lu, right.lu, pivot ? 1e-12 : 1e-6);
      expect([found.pivots, found.info]).toEqual([right.pivots, right.info]);
    }
    const [found, right] = [reflect(a), reflect(widened(a))];
    expectSame(found.a, right.a);
    expectSame(found.tau, right.tau);
    const count = right.tau.columns;
    expectSame(orthogonal(found.a, found.tau, count), orthogonal(right.a, right.tau, count));
    const b = random(n, 7);
    for (const adjoint of [false, true]) {
      const [x, y] = [copyOf(b), widened(b)];
      applyQ(found.a, found.tau, x, adjoint);
      applyQ(right.a, right.tau, { ...y, re: y.re.slice() }, adjoint);
      const z = { ...y, re: b.re.slice(), im: new Float64Array(b.re.length) };
      applyQ(right.a, right.tau, z, adjoint);
      expectSame(x, z);
    }
  });

  test("solutions", () => {
    const { lu, pivots } = factorLu(random(n, n));
    // What a random matrix makes of a rounding is as much larger as its condition.
    for (const columns of [1, 2, 9]) {
      const b = random(n, columns);
      for (const adjoint of [false, true]) {
        expectSame(solveLu(lu, pivots, b, adjoint), solveLu(widened(lu), pivots, widened(b), adjoint), 1e-9);
        for (const upper of [false, true]) {
          const unit = upper === adjoint;
          const [x, y] = [copyOf(b), widened(copyOf(b))];
          // A triangle that is well conditioned.
          const t = copyOf(lu);
          for (let i = 0; i < n; i++) t.re[i * n + i]! += 5;
          for (let i = 0; i < t.re.length; i++) t.re[i]! /= 5;
          solveTriangular(t, x, { upper, unit, adjoint });
          solveTriangular(widened(t), y, { upper, unit, adjoint });
          expectSame(x, y, 1e-9);
        }
      }
    }
  });

  test("Cholesky's factor, as far as it goes", () => {
    const root = random(n, n + 2);
    const a = product(root, adjointOf(root));
    const [found, right] = [cholesky(a), cholesky(widened(a))];
    expect(found.info).toBe(0);
    expectSame(found.l, right.l);
    const row = Math.floor(n / 2);
    a.re[row * n + row] = -1;
    const [cut, rightCut] = [cholesky(a), cholesky(widened(a))];
    expect([cut.info, rightCut.info]).toEqual([row + 1, row + 1]);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < row; j++) expect(cut.l.re[i * n + j]).toBeCloseTo(rightCut.l.re[i * n + j]!, 10);
    }
  });

  test("values without their vectors", () => {
    const a = random(n, n);
    for (const upper of [false, true]) {
      const [values, right] = [symmetricValues(a, upper, PRECISION), symmetricEigen(a, upper, PRECISION).values];
      for (let i = 0; i < n; i++) expect(values[i]).toBeCloseTo(right[i]!, 12);
      const complexValues = symmetricEigen(widened(a), upper, PRECISION).values;
      for (let i = 0; i < n; i++) expect(values[i]).toBeCloseTo(complexValues[i]!, 12);
    }
    for (const columns of [n, n + 3, Math.ceil(n / 3)]) {
      for (const b of [random(n, columns), random(columns, n)]) {
        const [values, right] = [singularValues(b, PRECISION), svd(b, false, PRECISION).s];
        expect(values.length).toBe(right.length);
        for (let i = 0; i < values.length; i++) expect(values[i]).toBeCloseTo(right[i]!, 12);
      }
    }
  });
});

test("a zero on the diagonal is reported, and leaves what is below it", () => {
  const a = { rows: 3, columns: 3, re: Float64Array.of(0, 1, 2, 0, 3, 4, 0, 5, 6), im: null };
  for (const pivot of [true, false]) {
    const [found, right] = [factorLu(a, pivot), factorLu(widened(a), pivot)];
    expect([...found.lu.re, found.info]).toEqual([...right.lu.re, right.info]);
  }
  const b = { ...a, re: Float64Array.of(0, 1, 2, 7, 3, 4, 9, 5, 6) };
  expect(factorLu(b, false).lu.re).toEqual(factorLu(widened(b), false).lu.re);
});

test("a reflection of very large or small numbers neither overflows nor vanishes", () => {
  for (const size of [1e200, 1e-200]) {
    const { a, tau } = reflect({ rows: 3, columns: 1, re: Float64Array.of(size, size, size), im: null });
    expect(a.re[0]! / size).toBeCloseTo(-Math.sqrt(3), 12);
    expect(tau.re[0]).toBeCloseTo(1 + 1 / Math.sqrt(3), 12);
  }
});
