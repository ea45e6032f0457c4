import { distance, typedFunction } from "@pt2/conformance";
import type { DType } from "@pt2/format";
import { type BinaryFn, evaluate, type ScalarValue, scalar as s, type UnaryFn } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runKernel } from "./group.test-helper.ts";

const SPECIAL = [
  [0, 1, 2, 3, 0.5, 1.5, 2.5, 7, 0.25, 0.75, Infinity, 1e-45, 2 ** -126, 3.4028234663852886e38, 2 ** 31, 2 ** 24 - 1],
  [2 ** 24, 2 ** 25 - 1, 88.73, 89.5, 10.05, 1048577, 1 - 2 ** -24, 1 + 2 ** -23, 2 ** -13, 2 ** -14, 0.1, 1e30],
]
  .flat()
  .flatMap((value) => [value, -value])
  .concat(Number.NaN)
  .map(Math.fround);

/** Returns numbers of every size of single precision, and many of usual size. */
function numbers(count: number, random: () => number): number[] {
  const sizes = Array.from({ length: count }, (_, i) => (random() - 0.5) * 2 ** ((((i * 277) / count) % 277) - 148));
  const usual = Array.from({ length: count }, () => (random() - 0.5) * 10 ** (6 * random() - 3));
  return [...sizes, ...usual].map(Math.fround);
}

/** Checks a function against the double precision of the evaluator, or its own; `ulps` is the largest difference. */
function check(fn: UnaryFn | BinaryFn, dtype: DType, ulps: number, ...operands: readonly (readonly number[])[]): void {
  const make = s[fn] as (...inputs: readonly unknown[]) => ReturnType<typeof s.input>;
  const expr = make(...operands.map((_, i) => s.input(i)));
  const shape = [operands[0]!.length];
  const [got] = runKernel({
    shape,
    operands: operands.map((data) => ({ dtype, data, strides: [1] })),
    outputs: [typedFunction(expr, dtype)!],
  });
  const reference = typedFunction(expr, ulps === 0 ? dtype : "float64")!;
  const wrong = got!.flatMap((value: ScalarValue, i) => {
    const from = operands.map((data) => data[i]!);
    const exact = evaluate(reference, from) as number;
    const rounded = dtype === "float32" ? Math.fround(exact) : exact;
    const isSame =
      Object.is(value, rounded) || (Number.isFinite(rounded) && rounded !== 0 && distance(value, exact, dtype) <= ulps);
    return isSame ? [] : [`${fn}(${from}) = ${value}, not ${exact}`];
  });
  expect(wrong.slice(0, 5)).toEqual([]);
}

test.each([
  "tan",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "asinh",
  "acosh",
  "atanh",
  "erfc",
  "erfinv",
  "lgamma",
] as const)("%s of float32 is at most 0.55 units in the last place from the true value, of every number", (fn) => {
  const quadrants = Array.from({ length: 1500 }, (_, i) => Math.fround((i * 439 * Math.PI) / 2));
  check(fn, "float32", 0.55, [...SPECIAL, ...quadrants, ...numbers(4000, randomUnit(1))]);
});

test.each([
  ["exp", 1],
  ["log", 1],
  ["expm1", 2],
  ["log1p", 2],
  ["exp2", 2],
  ["log2", 2],
  ["sinh", 3],
  ["cosh", 2],
  ["sin", 1],
  ["cos", 1],
  ["atan", 2],
  ["tanh", 3],
  ["erf", 2],
  ["erfc", 4],
  ["erfinv", 3],
] as const)("%s of float64 is at most %i units in the last place from the evaluator's", (fn, ulps) => {
  const random = randomUnit(2);
  const wide = Array.from({ length: 4001 }, (_, i) => (random() - 0.3) * 2 ** ((((i * 2000) / 4001) % 2000) - 1000));
  const usual = Array.from({ length: 8000 }, () => (random() - 0.5) * 10 ** (6 * random() - 3));
  check(fn, "float64", ulps, [
    ...SPECIAL,
    709.78,
    709.79,
    710.47,
    -745.1,
    -745.2,
    1024,
    -1074,
    -1075,
    5e-324,
    ...wide,
    ...usual,
  ]);
});

/** Returns every pair of special numbers, and others of very different and of similar size. */
function pairs(): readonly [number[], number[]] {
  const random = randomUnit(3);
  const [xs, ys] = [numbers(2000, random), numbers(2000, random)];
  const near = xs.map((x) => Math.fround(x * (random() * 40 - 20)));
  return [
    [...SPECIAL.flatMap((x) => SPECIAL.map(() => x)), ...xs, ...near],
    [...SPECIAL.flatMap(() => SPECIAL), ...ys.toReversed(), ...xs],
  ];
}

test.each([
  ["atan2", 0.55],
  ["pow", 0.55],
  ["hypot", 0.55],
  ["fmod", 0],
  ["mod", 0],
  ["floordiv", 0],
  ["nextafter", 0],
] as const)("%s of float32 is right for every pair of special numbers, and for others within %d units", (fn, ulps) => {
  check(fn, "float32", ulps, ...pairs());
});

test.each(["pow", "fmod", "mod", "floordiv", "nextafter"] as const)(
  "%s of float64 is what the evaluator computes",
  (fn) => {
    check(fn, "float64", 0, ...pairs());
  },
);

test.each([
  ["atan2", 2],
  ["hypot", 2],
] as const)("%s of float64 is at most %i units in the last place from the evaluator's", (fn, ulps) => {
  const large = [1.7e308, 2.2e-308, 5e-324, 1e300, 1e-300, 1e154, 1e-154, -1.1e308];
  const pairsOfLarge = large.flatMap((x) => [...large, ...SPECIAL].map((y) => [x, y, x * 0.4142135623730951] as const));
  const [xs, ys] = pairs();
  check(
    fn,
    "float64",
    ulps,
    [...xs, ...pairsOfLarge.flatMap(([x, y, part]) => [x, y, x, part])],
    [...ys, ...pairsOfLarge.flatMap(([x, y, part]) => [y, x, part, x])],
  );
});

test("powers of two are exact, also where they are denormal", () => {
  const data = [...Array.from({ length: 290 }, (_, i) => i - 155), Infinity, -Infinity, NaN];
  const expr = typedFunction(s.pow(2, s.input(0)), "float32")!;
  const [got] = runKernel({
    shape: [data.length],
    operands: [{ dtype: "float32", data, strides: [1] }],
    outputs: [expr],
  });
  expect(got).toEqual(data.map((exponent) => Math.fround(2 ** exponent)));
});

test("a remainder is exact beside one in the same vector that only the slow way computes", () => {
  const [x, y] = [
    [1e30, 5.5, -7, 3e8, 1e10, -0, 2 ** 29 + 64, 9],
    [0.1, 2, 2.5, 0.7, 3, 5, 1, Infinity],
  ];
  check("fmod", "float32", 0, x!.map(Math.fround), y!.map(Math.fround));
});

test("a quotient just below an integer leaves almost the divisor", () => {
  for (const [dtype, bits] of [
    ["float32", 23],
    ["float64", 52],
  ] as const) {
    const round = dtype === "float32" ? Math.fround : Number;
    const ys = Array.from({ length: 3000 }, (_, i) => 1 + (i * 37 + 1) / 2 ** bits);
    const xs = ys.map((y, i) => round(y * (1 + i * 22369)));
    const below = xs.map((x) => round(x * (1 - 2 ** -bits)));
    for (const dividends of [xs, below, xs.map((x) => -x)]) check("fmod", dtype, 0, dividends, ys);
  }
});

test("remainders of float64 are exact, of quotients of every size", () => {
  const random = randomUnit(4);
  const ys = Array.from({ length: 20000 }, () => (random() - 0.5) * 2 ** (40 * random() - 20));
  const xs = ys.map((y, i) => y * 2 ** (random() * 30 - 1) * (i % 2 ? 1 : -1));
  const whole = ys.map((y) => y * Math.floor(random() * 1000));
  const tiny = ys.map((_, i) => i * 5e-324);
  check("fmod", "float64", 0, [...xs, ...whole, ...tiny], [...ys, ...ys, ...tiny.map(() => 7 * 5e-324)]);
});
