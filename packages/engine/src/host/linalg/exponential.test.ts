import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { matrixExponential } from "./exponential.ts";
import type { Matrix } from "./matrix.ts";

const next = randomUnit(11);

/** Taylor's series of a small part of a real matrix, squared again. */
function series(a: Float64Array, n: number): Float64Array {
  const times = (x: Float64Array, y: Float64Array): Float64Array =>
    Float64Array.from(x, (_, at) => {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += x[Math.floor(at / n) * n + k]! * y[k * n + (at % n)]!;
      return sum;
    });
  const halvings = 12;
  const small = a.map((value) => value / 2 ** halvings);
  let term = Float64Array.from(a, (_, at) => (at % (n + 1) === 0 ? 1 : 0));
  let sum: Float64Array = term.slice();
  for (let k = 1; k < 10; k++) {
    term = times(term, small).map((value) => value / k);
    sum = sum.map((value, i) => value + term[i]!);
  }
  for (let k = 0; k < halvings; k++) sum = times(sum, sum);
  return sum;
}

test.each([1e-9, 1e-3, 0.3, 1, 3, 20])("exponentials of matrices of size %d are those of the series", (size) => {
  for (const n of [1, 2, 3, 5, 17]) {
    const re = Float64Array.from({ length: n * n }, () => (size * (2 * next() - 1)) / n);
    const wanted = series(re, n);
    const found = matrixExponential({ rows: n, columns: n, re, im: null }).re;
    const largest = Math.max(...wanted.map(Math.abs));
    for (const [i, value] of found.entries()) expect(Math.abs(value - wanted[i]!)).toBeLessThan(2e-11 * largest);
  }
});

test("a rotation by an angle, and the same as a complex number", () => {
  for (const angle of [0.1, 1, 2, 10]) {
    const turned = matrixExponential({ rows: 2, columns: 2, re: Float64Array.of(0, -angle, angle, 0), im: null });
    const number: Matrix = { rows: 1, columns: 1, re: new Float64Array(1), im: Float64Array.of(angle) };
    const { re, im } = matrixExponential(number);
    for (const [value, wanted] of [
      [turned.re[0]!, Math.cos(angle)],
      [turned.re[2]!, Math.sin(angle)],
      [re[0]!, Math.cos(angle)],
      [im![0]!, Math.sin(angle)],
    ] as const) {
      expect(value).toBeCloseTo(wanted, 13);
    }
  }
});

test("the exponential of zero is the identity, exactly, and that of nothing is nothing", () => {
  const zero = matrixExponential({ rows: 3, columns: 3, re: new Float64Array(9), im: null }).re;
  expect([...zero]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  expect(matrixExponential({ rows: 0, columns: 0, re: new Float64Array(), im: null }).re.length).toBe(0);
});
