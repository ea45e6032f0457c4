import { expect, it } from "vitest";
import { gammaLower, gammaUpper, zeta } from "./gamma.ts";

/** What PyTorch computes in double precision: a, x, P(a, x), Q(a, x). */
const GIVEN: readonly (readonly [number, number, number, number])[] = [
  [0.5, 0.3, 0.5614219739190001, 0.4385780260809999],
  [3, 7, 0.9703638361194779, 0.029636163880521777],
  [250, 250, 0.5084106268519675, 0.4915893731480325],
  [250, 225, 0.05305968719661224, 0.9469403128033879],
  [10_000, 9900, 0.1586511921823505, 0.8413488078176495],
  [10_000, 10_200, 0.9767126778638434, 0.02328732213615652],
  [1.6e7, 1.6e7, 0.5000332451895825, 0.4999667548104176],
  [1.6e7, 16_001_600, 0.6554475201895279, 0.34455247981047205],
  [1.9e8, 1.9e8, 0.5000096474381859, 0.49999035256181407],
  [1e20, 1e20, 0.500000000013298, 0.4999999999867019],
  [300, 447, 0.99999999999994, 5.998073743787013e-14],
  [300, 153, 6.044656029555057e-26, 1],
  [300, 480, 1, 4.373431981287119e-19],
];

it.each(GIVEN)("the incomplete gamma functions of %d and %d are PyTorch's", (a, x, lower, upper) => {
  expect(Math.abs(gammaLower(a, x) / lower - 1)).toBeLessThan(1e-9);
  expect(Math.abs(gammaUpper(a, x) / upper - 1)).toBeLessThan(1e-9);
});

it("both sides of the bounds between the series agree", () => {
  for (const [a, x] of [
    [200, 200],
    [250, 125],
    [250, 375],
  ] as const) {
    const [left, right] = [gammaLower(a * (1 - 1e-12), x), gammaLower(a * (1 + 1e-12), x)];
    expect(Math.abs(left - right)).toBeLessThan(1e-9 * left);
  }
});

/** What PyTorch computes in double precision: x, q, ζ(x, q). */
const ZETA: readonly (readonly [number, number, number])[] = [
  [2, 0.3, 12.245364546107734],
  [2, 12.5, 0.08328522460157839],
  [3, -2.5, 0.0541020258208641],
  [3, 0.1, 1000.9307286891719],
  [2.5, 4.0, 0.10056053204432189],
  [40, 12.000370075957335, 7.087187611025074e-44],
  [1.01, 0.5, 101.97709317748227],
  [2, 10000000000.0, 1.00000000005e-10],
  [6, -70.25, 4101.927225921186],
];

it.each(ZETA)("zeta of %d and %d is PyTorch's", (x, q, given) => {
  expect(Math.abs(zeta(x, q) / given - 1)).toBeLessThan(1e-13);
});

it("zeta has poles, bounds and limits", () => {
  const { POSITIVE_INFINITY: infinity, NaN: none } = Number;
  expect([zeta(1, 3), zeta(2, 0), zeta(2, -4), zeta(0.5, 3), zeta(2.5, -0.5)]).toEqual([
    ...[infinity, infinity, infinity, none, none],
  ]);
  expect([zeta(infinity, 0.5), zeta(2, infinity), zeta(none, 2), zeta(2, none)]).toEqual([infinity, 0, none, none]);
  expect(zeta(2, 1e200)).toBe(1e-200);
});
