import { beforeEach, describe, expect, test } from "vitest";
import { random, testbed } from "./kernels.test-helper.ts";

const bed = testbed(64);
const { kernels } = bed;
const rng = random(5);
const lengths = [1, 2, 3, 7, 16, 17, 32, 33, 64, 127, 257, 1031, 5003];
const inf = Number.POSITIVE_INFINITY;

beforeEach(() => bed.clear());

/** Numbers of many magnitudes, no two of them equal. */
function distinct(n: number): Float32Array {
  const numbers = new Set<number>();
  while (numbers.size < n) {
    const [value] = rng.floats(1) as unknown as readonly [number];
    numbers.add(Math.fround(Math.exp(9 * value) * Math.sign(value)));
  }
  return Float32Array.from(numbers);
}

interface Options {
  readonly k?: number;
  readonly descending?: boolean;
  readonly stable?: boolean;
  /** Elements between two of the input, and of the results. */
  readonly apart?: number;
}

/** Runs the kernel; null where it refuses to choose. */
function ordered(data: Float32Array, { k = data.length, descending = false, stable = false, apart = 1 }: Options = {}) {
  const spaced = new Float32Array(data.length * apart).fill(Number.NaN);
  data.forEach((value, i) => {
    spaced[i * apart] = value;
  });
  const [x, values, positions] = [bed.put(spaced), bed.room(k * apart), bed.room(2 * k * apart)];
  const scratch = bed.room(kernels.orderScratch(data.length) / 4);
  const [step, flags] = [4 * apart, [Number(descending), Number(stable)] as const];
  const done = kernels.orderFloats(x, step, data.length, k, ...flags, values, step, positions, 2 * step, scratch);
  expect(bed.intact()).toBe(true);
  expect(bed.floats(x, spaced.length)).toEqual(spaced);
  if (done === 0) return null;
  const every = <T>(row: ArrayLike<T>, step: number): T[] => Array.from({ length: k }, (_, i) => row[i * step]!);
  return {
    values: every(bed.floats(values, k * apart), apart),
    positions: every(bed.ints(positions, 2 * k * apart), 2 * apart),
  };
}

/** What a stable sort with NaN as the largest gives. */
function expected(data: Float32Array, { k = data.length, descending = false }: Options = {}) {
  const sign = descending ? -1 : 1;
  const compare = (x: number, y: number): number =>
    Number.isNaN(x) || Number.isNaN(y)
      ? Number(Number.isNaN(x)) - Number(Number.isNaN(y))
      : Number(x > y) - Number(x < y);
  const positions = [...data.keys()].sort((i, j) => sign * compare(data[i]!, data[j]!) || i - j).slice(0, k);
  return { values: positions.map((i) => data[i]!), positions };
}

describe.each([false, true])("with descending %s", (descending) => {
  test.each(lengths)("%i elements are sorted, and the first ones chosen", (n) => {
    const data = distinct(n);
    for (const k of new Set([n, 1, Math.ceil(n / 3), Math.ceil(n / 64), n - 1].filter((count) => count > 0))) {
      for (const apart of [1, 3]) {
        bed.clear();
        expect(ordered(data, { k, descending, apart })).toEqual(expected(data, { k, descending }));
      }
    }
  });

  test("special numbers have their places", () => {
    const data = new Float32Array([3, -inf, Number.NaN, 1e-42, -1e-42, inf, 0, -3]);
    expect(ordered(data, { descending })).toEqual(expected(data, { descending }));
    expect(ordered(data, { descending, k: 3 })).toEqual(expected(data, { descending, k: 3 }));
  });

  test("equal elements keep their order in a stable sort: zeros of both signs, and NaN of any bits", () => {
    const bits = new Uint32Array([0, 0x80000000, 0x7fc00001, 0xffc00000, 0x3f800000, 0x7f800001, 0, 0x3f800000]);
    const data = new Float32Array(bits.buffer);
    const found = ordered(data, { descending, stable: true });
    expect(found?.positions).toEqual(expected(data, { descending }).positions);
    // The elements themselves are written, with their own bits.
    expect(found?.values.map((value) => Object.is(value, -0))).toEqual(
      expected(data, { descending }).values.map((value) => Object.is(value, -0)),
    );
    expect(ordered(data, { descending, stable: false })).toBeNull();
  });

  test.each(lengths.filter((n) => n > 16))("many equal elements among %i are sorted in a stable sort", (n) => {
    const data = rng.floats(n).map((value) => Math.round(value * 9));
    expect(ordered(data, { descending, stable: true })).toEqual(expected(data, { descending }));
  });
});

test("equal elements are refused exactly where they are a choice", () => {
  const data = new Float32Array([5, 1, 4, 2, 4, 3]);
  expect(ordered(data, { k: 1, descending: true })?.positions).toEqual([0]);
  // The second one may be either 4.
  expect(ordered(data, { k: 2, descending: true })).toBeNull();
  // Both are taken, and may come in either order.
  expect(ordered(data, { k: 3, descending: true })).toBeNull();
  expect(ordered(data, { k: 3 })?.positions).toEqual([1, 3, 5]);
});
