import { RELATIVE, worstError } from "@pt2/testing/worst-error";
import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed } from "./kernels.test-helper.ts";

const bed = testbed(256);
const { kernels } = bed;
const rng = random(2);
const lengths = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 31, 64, 127, 384, 1031, 2053];
const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

beforeEach(() => bed.clear());

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const values = (row: Float32Array): number[] => Array.from(row);

/** Returns the worst error of the kernel's rows against `reference` in double precision. */
function rowsDiffer(
  n: number,
  kernel: (src: number, dst: number, rows: number) => void,
  reference: (row: number[]) => number[],
  spread = 1,
): number {
  bed.clear();
  const rows = 3;
  const data = rng.floats(rows * n).map((value) => value * spread);
  const [src, dst] = [bed.put(data), bed.room(rows * n)];
  kernel(src, dst, rows);
  const apart = bed.floats(dst, rows * n);
  kernel(src, src, rows);
  expect(bed.floats(src, rows * n)).toEqual(apart);
  expect(bed.intact()).toBe(true);
  return worstError(
    apart,
    [0, 1, 2].flatMap((row) => reference(values(data.subarray(row * n, row * n + n)))),
    RELATIVE,
  );
}

describe("softmax", () => {
  const softmax = (row: number[]): number[] => {
    const most = Math.max(...row);
    const terms = row.map((value) => Math.exp(value - most));
    return terms.map((term) => term / sum(terms));
  };

  test.each(lengths)("softmax of %i elements is that in double precision", (n) => {
    for (const spread of [1, 30, 200]) {
      expect(rowsDiffer(n, (src, dst, rows) => kernels.softmaxRows(src, dst, rows, n), softmax, spread)).toBeLessThan(
        3e-7,
      );
      const log = (row: number[]): number[] => {
        const most = Math.max(...row);
        const total = Math.log(sum(row.map((value) => Math.exp(value - most))));
        return row.map((value) => value - most - total);
      };
      expect(rowsDiffer(n, (src, dst, rows) => kernels.logSoftmaxRows(src, dst, rows, n), log, spread)).toBeLessThan(
        3e-7,
      );
    }
  });

  test("small results of softmax keep their relative precision", () => {
    const data = Float32Array.from([0, -1, -20, -60, -85, -200, -inf]);
    const dst = bed.room(7);
    kernels.softmaxRows(bed.put(data), dst, 1, 7);
    expect(worstError(bed.floats(dst, 7), softmax(values(data)), { rtol: 1, atol: 1e-37 })).toBeLessThan(1e-6);
  });

  test.each([[[nan, 1, 2, 3, 4]], [[-inf, -inf, -inf, -inf, -inf]], [[1, 2, 3, 4, inf]]])(
    "softmax of %j is all NaN",
    (row) => {
      const dst = bed.room(5);
      kernels.softmaxRows(bed.put(Float32Array.from(row)), dst, 1, 5);
      expect([...bed.floats(dst, 5)].filter(Number.isNaN).length).toBeGreaterThan(row.includes(inf) ? 0 : 4);
    },
  );
});

describe("normalization of rows", () => {
  const eps = 1e-5;
  const centered = (row: number[]): { mean: number; rstd: number } => {
    const mean = sum(row) / row.length;
    return { mean, rstd: 1 / Math.sqrt(sum(row.map((value) => (value - mean) ** 2)) / row.length + eps) };
  };

  test.each(lengths)("layer norm and rms norm of %i elements are right with and without weight and bias", (n) => {
    const [weight, bias] = [rng.floats(n), rng.floats(n)];
    for (const [w, b] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ]) {
      const layer = (row: number[]): number[] => {
        const { mean, rstd } = centered(row);
        return row.map((value, i) => (value - mean) * rstd * (w ? weight[i]! : 1) + (b ? bias[i]! : 0));
      };
      const run = (src: number, dst: number, rows: number): void =>
        kernels.layerNormRows(src, dst, rows, n, w ? bed.put(weight) : 0, b ? bed.put(bias) : 0, eps, 0, 0);
      expect(n === 1 || rowsDiffer(n, run, layer, 3) < 4e-6).toBe(true);
      const rms = (row: number[]): number[] => {
        const scale = 1 / Math.sqrt(sum(row.map((value) => value * value)) / n + eps);
        return row.map((value, i) => value * scale * (w ? weight[i]! : 1));
      };
      const runRms = (src: number, dst: number, rows: number): void =>
        kernels.rmsNormRows(src, dst, rows, n, w ? bed.put(weight) : 0, eps, 0);
      expect(rowsDiffer(n, runRms, rms)).toBeLessThan(1e-6);
    }
  });

  test("a large mean does not lose a small variance", () => {
    const n = 1031;
    const data = rng.floats(n).map((value) => 1000 + value);
    const [mean, rstd] = [bed.room(1), bed.room(1)];
    kernels.layerNormRows(bed.put(data), bed.room(n), 1, n, 0, 0, eps, mean, rstd);
    const expected = centered(values(data));
    expect(worstError(bed.floats(mean, 1), [expected.mean], { rtol: 1, atol: 0 })).toBeLessThan(1e-7);
    expect(worstError(bed.floats(rstd, 1), [expected.rstd], { rtol: 1, atol: 0 })).toBeLessThan(1e-5);
  });

  test.each([
    [2, 6, 3, 5],
    [1, 4, 4, 13],
    [3, 5, 1, 7],
    [2, 8, 2, 1],
  ])(
    "group norm of batch %i, %i channels in %i groups of %i elements each is that in double precision",
    (batch, channels, groups, n) => {
      const data = rng.floats(batch * channels * n);
      const [weight, bias] = [rng.floats(channels), rng.floats(channels)];
      const [perGroup, count] = [channels / groups, batch * groups];
      const size = perGroup * n;
      const [src, w, b] = [bed.put(data), bed.put(weight), bed.put(bias)];
      const statistics = Array.from({ length: count }, (_, i) =>
        centered(values(data.subarray(i * size, (i + 1) * size))),
      );
      const [means, rstds] = [statistics.map(({ mean }) => mean), statistics.map(({ rstd }) => rstd)];
      const expected = values(data).map((value, i) => {
        const { mean, rstd } = statistics[Math.floor(i / size)]!;
        const channel = Math.floor(i / n) % channels;
        return (value - mean) * rstd * weight[channel]! + bias[channel]!;
      });
      const shape = [groups, perGroup, n] as const;
      const expectIt = (dst: number): void => {
        expect(worstError(bed.floats(dst, data.length), expected, RELATIVE)).toBeLessThan(2e-6);
        expect(bed.intact()).toBe(true);
      };
      // All at once, and each part by itself.
      for (const step of [count, 1]) {
        const dst = bed.room(data.length);
        for (let i = 0; i < count; i += step) kernels.groupNormRows(src, dst, i, step, ...shape, w, b, eps, 0, 0);
        expectIt(dst);
      }
      for (const piece of [1, 3, 4, size, 100]) {
        const pieces = count * Math.ceil(size / piece);
        const [dst, moments] = [bed.room(data.length), bed.room(4 * pieces)];
        const [mean, rstd] = [bed.room(count), bed.room(count)];
        for (let i = 0; i < pieces; i++) kernels.groupMoments(src, size, piece, i, 1, moments);
        for (let i = 0; i < batch * channels; i++) {
          kernels.groupNormChannels(src, dst, i, 1, ...shape, piece, moments, w, b, eps, mean, rstd);
        }
        expectIt(dst);
        expect(worstError(bed.floats(mean, count), means, RELATIVE)).toBeLessThan(2e-6);
        expect(worstError(bed.floats(rstd, count), rstds, RELATIVE)).toBeLessThan(2e-5);
      }
    },
  );
});
