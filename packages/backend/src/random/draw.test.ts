import { bitsToFloat, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { CpuGenerator } from "./cpu-generator.ts";
import { drawNormal, drawUniform } from "./draw.ts";
import { MersenneTwister } from "./mersenne-twister.ts";

/** MT19937 as it is written down, in bigints. */
function* twister(seed: number): Generator<number> {
  const state = [BigInt(seed)];
  for (let i = 1; i < 624; i++) {
    const last = state[i - 1]!;
    state.push((1812433253n * (last ^ (last >> 30n)) + BigInt(i)) & 0xffffffffn);
  }
  for (let i = 0; ; i = (i + 1) % 624) {
    const pair = (state[i]! & 0x80000000n) | (state[(i + 1) % 624]! & 0x7fffffffn);
    state[i] = state[(i + 397) % 624]! ^ (pair >> 1n) ^ ((pair & 1n) * 0x9908b0dfn);
    let bits = state[i]!;
    bits ^= bits >> 11n;
    bits ^= (bits << 7n) & 0x9d2c5680n;
    bits ^= (bits << 15n) & 0xefc60000n;
    yield Number(bits ^ (bits >> 18n));
  }
}

describe("the generator", () => {
  it.each([0, 7, 2 ** 32 - 1])("draws the numbers of MT19937 with seed %d, over the ends of its state", (seed) => {
    const [numbers, given] = [new MersenneTwister(seed), twister(seed)];
    for (let i = 0; i < 3 * 624 + 5; i++) expect(numbers.next()).toBe(given.next().value);
  });

  it("draws what the standard library of C++ does", () => {
    const numbers = new MersenneTwister(5489);
    for (let i = 1; i < 10_000; i++) numbers.next();
    expect(numbers.next()).toBe(4123659995);
  });
});

const DTYPES = ["float32", "float64", "float16", "bfloat16"] as const;
const COUNTS = [0, 1, 15, 16, 17, 31, 32, 100, 623, 625, 1300];

function rounded(dtype: DType, x: number): number {
  if (isSmallFloat(dtype)) return bitsToFloat(dtype, floatToBits(dtype, x));
  return dtype === "float64" ? x : Math.fround(x);
}

/** A number in [0, 1), as PyTorch draws it for a dtype. */
function unit(random: CpuGenerator, dtype: DType): number {
  return dtype === "float64" ? random.uniform() : (random.random() % 2 ** 24) / 2 ** 24;
}

function uniform(random: CpuGenerator, dtype: DType, count: number, from: number, to: number): readonly number[] {
  const [least, limit] = [rounded(dtype, from), rounded(dtype, to)];
  return Array.from({ length: count }, () => {
    const number = rounded(dtype, unit(random, dtype) * rounded(dtype, limit - least) + least);
    return number === limit ? least : number;
  });
}

function normal(random: CpuGenerator, dtype: DType, count: number, mean: number, std: number): readonly number[] {
  if (count < 16) return Array.from({ length: count }, () => random.normal() * std + mean);
  const block = (numbers: readonly number[]): readonly number[] =>
    numbers.map((_, i) => {
      const root = Math.sqrt(-2 * Math.log(1 - numbers[i % 8]!));
      const radius = dtype === "float64" ? root : Math.fround(root);
      const angle = 2 * Math.PI * numbers[(i % 8) + 8]!;
      return radius * (i < 8 ? Math.cos(angle) : Math.sin(angle)) * std + mean;
    });
  const draw = (size: number): readonly number[] => Array.from({ length: size }, () => unit(random, dtype));
  const full = Math.floor(count / 16);
  const drawn = draw(isSmallFloat(dtype) ? 16 * full : count);
  const numbers = Array.from({ length: full }, (_, i) => block(drawn.slice(16 * i, 16 * i + 16))).flat();
  return count % 16 === 0 ? numbers : [...numbers.slice(0, count - 16), ...block(draw(16))];
}

/** Draws with both in turns, with single numbers between. */
function expectSame(
  dtype: DType,
  draw: (random: CpuGenerator, count: number) => ArrayLike<number>,
  given: (random: CpuGenerator, count: number) => readonly number[],
  isSame: (found: readonly number[], right: readonly number[]) => void = (found, right) => expect(found).toEqual(right),
): void {
  const [random, right] = [new CpuGenerator(99), new CpuGenerator(99)];
  for (const count of COUNTS) {
    isSame(
      Array.from(draw(random, count), (x) => rounded(dtype, x)),
      given(right, count).map((x) => rounded(dtype, x)),
    );
    expect([random.random(), random.uniform(), random.normal()]).toEqual([
      right.random(),
      right.uniform(),
      right.normal(),
    ]);
  }
}

/** How far from each other numbers up to 8 are that are rounded otherwise; those of float32 are computed in it. */
const ULPS = { float32: 2 ** -19, float16: 2 ** -8, bfloat16: 2 ** -5 } as const;

function expectNear(found: readonly number[], right: readonly number[], tolerance: number): void {
  expect(found.length).toBe(right.length);
  for (const [i, number] of found.entries()) expect(Math.abs(number - right[i]!)).toBeLessThanOrEqual(tolerance);
}

/** FNV-1a of the bits of numbers. */
function hash(dtype: DType, numbers: Float32Array | Float64Array): number {
  const bits = isSmallFloat(dtype)
    ? Array.from(numbers, (x) => floatToBits(dtype, x))
    : new Uint32Array(Float32Array.from(numbers).buffer);
  let result = 0x811c9dc5;
  for (const word of bits) result = Math.imul(result ^ word, 16777619);
  return result >>> 0;
}

// Of 50003 numbers with mean 0 and deviation 1, then with -3.1 and 0.7.
it.each([
  ["float32", 553933261, 2185667906],
  ["float16", 2020717349, 4167448576],
  ["bfloat16", 1744070866, 1803637334],
] as const)("normal numbers of %s have the bits of PyTorch's on x86 processors", (dtype, standard, other) => {
  expect(hash(dtype, drawNormal(new CpuGenerator(7), dtype, 50003))).toBe(standard);
  expect(hash(dtype, drawNormal(new CpuGenerator(7), dtype, 50003, -3.1, 0.7))).toBe(other);
});

describe.each(DTYPES)("%s", (dtype) => {
  it.each([
    [0, 1],
    [-1.5, 2.25],
    [0, 0.3],
    [3, 3],
    [1, 1.0000001],
  ])("uniform numbers from %d to %d are drawn one after another", (from, to) => {
    expectSame(
      dtype,
      (random, count) => drawUniform(random, dtype, count, from, to),
      (random, count) => uniform(random, dtype, count, from, to),
    );
  });

  it.each([
    [0, 1],
    [-3, 0.5],
    [2, 0],
  ])("normal numbers with mean %d and deviation %d are made in blocks of 16", (mean, std) => {
    expectSame(
      dtype,
      (random, count) => drawNormal(random, dtype, count, mean, std),
      (random, count) => normal(random, dtype, count, mean, std),
      dtype === "float64" ? undefined : (found, right) => expectNear(found, right, ULPS[dtype] * Math.max(1, std)),
    );
  });
});
