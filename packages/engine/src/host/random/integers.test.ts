import { CpuGenerator } from "@pt2/backend";
import { expect, it } from "vitest";
import { boundsFor, drawAnyIntegers, drawIntegers, remainder } from "./integers.ts";
import { permutation } from "./permutation.ts";
import { trials } from "./trials.ts";

const COUNT = 1500;

/** Draws with one generator, and computes what is right from the numbers of another, which go on alike. */
function expectDrawn(
  draw: (random: CpuGenerator) => ArrayLike<unknown>,
  given: (random: CpuGenerator) => unknown[],
): void {
  const [random, right] = [new CpuGenerator(3), new CpuGenerator(3)];
  random.random();
  right.random();
  expect(Array.from(draw(random))).toEqual(given(right));
  expect(random.random()).toBe(right.random());
}

const times = <T>(make: () => T): T[] => Array.from({ length: COUNT }, make);

it.each([
  [0, 1],
  [-100, 100],
  [5, 2 ** 28 + 4],
])("integers from %d up to %d are remainders of 32 bits", (low, high) => {
  expectDrawn(
    (random) => drawIntegers(random, COUNT, low, high),
    (random) => times(() => (random.random() % (high - low)) + low),
  );
});

it.each([
  [0n, 2n ** 28n],
  [-5n, 2n ** 40n + 1n],
  [-(2n ** 62n), 2n ** 62n],
])("integers from %d up to %d are remainders of 64 bits", (low, high) => {
  expectDrawn(
    (random) => drawIntegers(random, COUNT, low, high),
    (random) => times(() => (random.random64() % (high - low)) + low),
  );
});

// With these PyTorch 2.13 draws the same after a seed.
it.each([
  ["float16", 0, 5000, 0, 4996],
  ["float16", 0, 2051, 0, 2051],
  ["float16", -5001, -4990, -5001, -4990],
  ["bfloat16", -70_000, 70_000, -69_632, 69_632],
  ["float32", 0, 2 ** 32, 0, 2 ** 32 - 256],
  ["float32", 0, 2 ** 48, 0, 2 ** 48 - 2 ** 24],
  ["float32", 16_777_217, 16_777_220, 16_777_217, 16_777_218],
  ["float64", 0, 2 ** 52, 0, 2 ** 52],
  ["int64", 0, 2 ** 32, 0, 2 ** 32],
] as const)("integers of %s from %d up to %d are drawn from %d up to %d", (dtype, low, high, from, to) => {
  expect(boundsFor(dtype, low, high)).toEqual([BigInt(from), BigInt(to)]);
});

it.each([
  ["int64", 2n ** 63n],
  ["uint64", 2n ** 64n],
  ["float64", 2n ** 53n + 1n],
] as const)("integers of %s are remainders of 64 bits", (dtype, range) => {
  expectDrawn(
    (random) => drawAnyIntegers(random, COUNT, dtype),
    (random) => times(() => random.random64() % range),
  );
});

it.each([
  ["int32", 2 ** 31],
  ["uint32", 2 ** 32],
  ["uint8", 256],
  ["bool", 2],
  ["float32", 2 ** 24 + 1],
  ["bfloat16", 257],
] as const)("integers of %s are remainders of 32 bits", (dtype, range) => {
  expectDrawn(
    (random) => drawAnyIntegers(random, COUNT, dtype),
    (random) => times(() => random.random() % range),
  );
});

it("a remainder is exact next to every multiple", () => {
  for (const y of [1, 3, 7, 100, 65_537, 2 ** 27 + 1, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 32]) {
    for (const multiple of [0, y, 2 * y, Math.floor((2 ** 32 - 1) / y) * y, Math.floor(2 ** 31 / y) * y]) {
      for (const x of [multiple - 1, multiple, multiple + 1])
        if (x >= 0 && x < 2 ** 32) expect(remainder(x, y)).toBe(x % y);
    }
  }
});

it.each([0, 1, 2, COUNT])("a permutation of %d numbers swaps each with one from its place on", (count) => {
  expectDrawn(
    (random) => permutation(random, count),
    (random) => {
      const order = Array.from({ length: count }, (_, i) => i);
      for (let i = 0; i < count - 1; i++) {
        const other = i + (random.random() % (count - i));
        [order[i], order[other]] = [order[other]!, order[i]!];
      }
      return order;
    },
  );
});

it.each([0, 0.3, 1])("trials with odds %d compare numbers of 53 bits", (odds) => {
  expectDrawn(
    (random) => trials(random, COUNT, odds),
    (random) => times(() => (random.uniform() < odds ? 1 : 0)),
  );
});
