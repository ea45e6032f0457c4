import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed } from "./kernels.test-helper.ts";

const bed = testbed(256);
const { kernels } = bed;
const rng = random(3);
const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

beforeEach(() => bed.clear());

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -inf);
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), inf);

describe("rows", () => {
  test.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 31, 511, 512, 513, 1031, 4099])(
    "reductions of rows of %i elements are those in double precision",
    (n) => {
      const data = rng.floats(3 * n);
      const [src, dst] = [bed.put(data), bed.room(3)];
      const rows = [0, 1, 2].map((row) => Array.from(data.subarray(row * n, row * n + n)));
      kernels.sumRows(src, dst, 3, n, 1);
      expect(worstError(bed.floats(dst, 3), rows.map(sum), RELATIVE)).toBeLessThan(3e-6);
      kernels.sumRows(src, dst, 3, n, n);
      expect(
        worstError(
          bed.floats(dst, 3),
          rows.map((row) => sum(row) / n),
          RELATIVE,
        ),
      ).toBeLessThan(1e-6);
      kernels.maxRows(src, dst, 3, n);
      expect([...bed.floats(dst, 3)]).toEqual(rows.map(most));
      kernels.minRows(src, dst, 3, n);
      expect([...bed.floats(dst, 3)]).toEqual(rows.map(least));
      if (n === 0) return;
      kernels.argmaxRows(src, dst, 3, n);
      expect([...bed.ints(dst, 3)]).toEqual(rows.map((row) => row.indexOf(most(row))));
      kernels.argminRows(src, dst, 3, n);
      expect([...bed.ints(dst, 3)]).toEqual(rows.map((row) => row.indexOf(least(row))));
      expect(bed.intact()).toBe(true);
    },
  );

  test("extremes of rows are NaN where one element is, and the index is that of the first of equals", () => {
    const dst = bed.room(1);
    const index = (row: number[], kernel: typeof kernels.argmaxRows): number => {
      kernel(bed.put(Float32Array.from(row)), dst, 1, row.length);
      return bed.ints(dst, 1)[0]!;
    };
    expect(index([1, 5, 2, 5, 5], kernels.argmaxRows)).toBe(1);
    expect(index([1, 5, 2, 1, 1, 1], kernels.argminRows)).toBe(0);
    expect(index([1, 5, 2, 5, nan, 9, nan], kernels.argmaxRows)).toBe(4);
    expect(index([1, 5, 2, -5, 0, 9, nan], kernels.argminRows)).toBe(6);
    expect(index([-inf, -inf, -inf], kernels.argmaxRows)).toBe(0);
    for (const kernel of [kernels.maxRows, kernels.minRows, kernels.sumRows]) {
      (kernel as typeof kernels.sumRows)(bed.put(Float32Array.from([3, 1, 2, 0, nan, 4])), dst, 1, 6, 1);
      expect(bed.floats(dst, 1)[0]).toBeNaN();
    }
  });

  test("a long sum of equal terms stays exact to a float", () => {
    const dst = bed.room(1);
    const n = 1_000_003;
    kernels.sumRows(bed.put(new Float32Array(n).fill(0.1)), dst, 1, n, 1);
    expect(worstError(bed.floats(dst, 1), [Math.fround(0.1) * n], { rtol: 1, atol: 0 })).toBeLessThan(1e-6);
  });
});

describe("columns of a reduction", () => {
  test.each([
    [1, 1, 1],
    [2, 3, 5],
    [3, 7, 8],
    [1, 131, 13],
    [2, 257, 17],
    [5, 1, 9],
    [2, 0, 3],
    [1, 3001, 11],
  ])("a reduction of %i × %i × %i over the middle dimension is that in double precision", (outer, n, inner) => {
    const data = rng.floats(outer * n * inner);
    const [src, dst] = [bed.put(data), bed.room(outer * inner)];
    const columns = Array.from({ length: outer * inner }, (_, at) =>
      Array.from({ length: n }, (_, k) => data[(Math.floor(at / inner) * n + k) * inner + (at % inner)]!),
    );
    kernels.sumColumns(src, dst, outer, n, inner, inner, 1);
    expect(worstError(bed.floats(dst, outer * inner), columns.map(sum), RELATIVE)).toBeLessThan(2e-6);
    kernels.sumColumns(src, dst, outer, n, inner, inner, n);
    expect(
      worstError(
        bed.floats(dst, outer * inner),
        columns.map((column) => sum(column) / n),
        RELATIVE,
      ),
    ).toBeLessThan(1e-6);
    kernels.maxColumns(src, dst, outer, n, inner, inner);
    expect([...bed.floats(dst, outer * inner)]).toEqual(columns.map(most));
    kernels.minColumns(src, dst, outer, n, inner, inner);
    expect([...bed.floats(dst, outer * inner)]).toEqual(columns.map(least));
    expect(bed.intact()).toBe(true);
  });

  test("some columns are reduced, and the others are not written", () => {
    const [outer, n, inner, first, count] = [2, 131, 45, 16, 21];
    const src = bed.put(rng.floats(outer * n * inner));
    for (const [kernel, divisor] of [[kernels.sumColumns, 3] as const, [kernels.maxColumns] as const]) {
      const reduce = kernel as typeof kernels.sumColumns;
      const [whole, some] = [bed.room(outer * inner), bed.put(new Float32Array(outer * inner).fill(7))];
      reduce(src, whole, outer, n, inner, inner, divisor ?? 0);
      reduce(src + 4 * first, some + 4 * first, outer, n, count, inner, divisor ?? 0);
      const isReduced = (i: number): boolean => i % inner >= first && i % inner < first + count;
      const all = [...bed.floats(whole, outer * inner)];
      const expected = all.map((value, i) => (isReduced(i) ? value : 7));
      // The last columns are one by one what they are in vectors, but for rounding.
      expect(worstError(bed.floats(some, outer * inner), expected, RELATIVE)).toBeLessThan(1e-6);
      expect(bed.intact()).toBe(true);
    }
  });

  test("NaN stays in its column", () => {
    const [n, inner] = [200, 13];
    for (const at of [2, 9, 12]) {
      const data = rng.floats(n * inner);
      data[77 * inner + at] = nan;
      const [src, dst] = [bed.put(data), bed.room(inner)];
      for (const kernel of [kernels.maxColumns, kernels.minColumns, kernels.sumColumns]) {
        (kernel as typeof kernels.sumColumns)(src, dst, 1, n, inner, inner, 1);
        expect([...bed.floats(dst, inner)].map(Number.isNaN)).toEqual(
          Array.from({ length: inner }, (_, i) => i === at),
        );
      }
    }
  });
});
