import { expect, it } from "vitest";
import { randomNumbers } from "../random.test-helper.ts";
import { thresholdOf } from "./threshold.ts";

/** Whether x / y exceeds a threshold, by its parts: compared as integers, whose quotient is not rounded. */
function exceeds(x: number, y: number, threshold: number): boolean {
  const { mantissa, exponent } = thresholdOf(threshold);
  // Both sides times a power of two, that makes them integers.
  const integer = (number: number, shift: number): bigint => BigInt(number * 2 ** shift) << BigInt(240);
  const left = integer(x, 20);
  const right = ((integer(y, 20) >> BigInt(240)) * BigInt(mantissa)) << BigInt(240 + exponent);
  return left > right;
}

it("a quotient exceeds the halfway point of a threshold where it exceeds the threshold once rounded", () => {
  const random = randomNumbers(1);
  let exceeded = 0;
  for (let i = 0; i < 5000; i++) {
    // Multiples of 2^-20, and quotients that are the threshold, next to it, or anywhere.
    const [x, y] = [random(), random()].map((u) => Math.round(u * 2 ** 23) / 2 ** 20 + 2 ** -20) as [number, number];
    const quotient = Math.fround(x / y);
    if (quotient >= 1) continue;
    for (const threshold of [
      quotient,
      quotient * (1 - 2 ** -40),
      quotient * (1 + 2 ** -40),
      quotient * (1 - 2 ** -25),
      0,
      0.5,
    ]) {
      if (threshold >= 1) continue;
      expect(exceeds(x, y, threshold)).toBe(quotient > threshold);
      exceeded += Number(quotient > threshold);
    }
  }
  expect(exceeded).toBeGreaterThan(5000);
});

it("the halfway points of thresholds have 25 bits, and what is near one is looked at", () => {
  const random = randomNumbers(2);
  for (const threshold of [
    0,
    2 ** -149,
    1e-40,
    2 ** -126,
    0.5,
    0.7,
    1 - 2 ** -24,
    ...Array.from({ length: 100 }, random),
  ]) {
    const { low, high, mantissa, exponent } = thresholdOf(threshold);
    expect(Number.isInteger(mantissa) && mantissa >= 2 ** 24 && mantissa < 2 ** 25).toBe(true);
    const halfway = mantissa * 2 ** exponent;
    expect(low <= threshold && halfway < high && halfway >= low).toBe(true);
    expect(Math.abs(halfway - threshold)).toBeLessThanOrEqual(Math.max(threshold * 2 ** -23, 2 ** -149));
  }
});
