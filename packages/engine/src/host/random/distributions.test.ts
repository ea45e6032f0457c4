import { CpuGenerator } from "@pt2/backend";
import { describe, expect, test } from "vitest";
import { binomial, gamma, poisson } from "./distributions.ts";

const DRAWS = 20_000;

function moments(draw: (random: CpuGenerator) => number): readonly [mean: number, variance: number] {
  const random = new CpuGenerator(7);
  const values = Array.from({ length: DRAWS }, () => draw(random));
  const mean = values.reduce((sum, value) => sum + value, 0) / DRAWS;
  return [mean, values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / DRAWS];
}

/** Six standard errors of a mean over all draws, and as much again for a variance with long tails. */
function expectMoments(found: readonly [number, number], mean: number, variance: number): void {
  expect(Math.abs(found[0] - mean)).toBeLessThan(6 * Math.sqrt(variance / DRAWS));
  expect(Math.abs(found[1] / variance - 1)).toBeLessThan(0.15);
}

describe("moments", () => {
  test.each([0.3, 1, 4.5, 60])("the moments of gamma with shape %d are right", (shape) => {
    expectMoments(
      moments((random) => gamma(shape, random)),
      shape,
      shape,
    );
  });

  test.each([0.2, 3, 9.9, 10, 250])("the moments of Poisson with rate %d are right", (rate) => {
    expectMoments(
      moments((random) => poisson(rate, random)),
      rate,
      rate,
    );
  });

  test.each([
    [1, 0.4],
    [7, 0.9],
    [40, 0.05],
    [200, 0.3],
    [1000, 0.75],
  ])("the moments of %i trials with odds %d are right", (count, odds) => {
    const found = moments((random) => binomial(count, odds, random));
    expectMoments(found, count * odds, count * odds * (1 - odds));
  });
});

test("a distribution without variance is constant", () => {
  const random = new CpuGenerator(7);
  expect(poisson(0, random)).toBe(0);
  expect(gamma(0, random)).toBe(0);
  expect([binomial(5, 0, random), binomial(5, 1, random), binomial(0, 0.5, random)]).toEqual([0, 5, 0]);
});

test("a distribution without a bound is infinite", () => {
  const random = new CpuGenerator(7);
  const { POSITIVE_INFINITY, NaN: none } = Number;
  expect(gamma(POSITIVE_INFINITY, random)).toBe(POSITIVE_INFINITY);
  expect([binomial(POSITIVE_INFINITY, 0.3, random), binomial(POSITIVE_INFINITY, 0, random)]).toEqual([
    POSITIVE_INFINITY,
    0,
  ]);
  expect([gamma(none, random), poisson(none, random), binomial(none, 0.5, random)]).toEqual([none, none, none]);
});

test("a distribution with invalid parameters is NaN", () => {
  const random = new CpuGenerator(7);
  expect([poisson(-1, random), gamma(-1, random), binomial(3, 2, random)]).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
