import { type ScalarExpr, type ScalarValue, scalar as s, typeExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { runOnDevice, runReference } from "./elementwise.test-helper.ts";
import { scalarFunction } from "./scalar.ts";

const x = s.input(0);

// Expressions that compilers like to simplify, or to compute in a way in which infinities meet.
const floats: Readonly<Record<string, ScalarExpr>> = {
  "x - x": s.sub(x, x),
  "x / x": s.div(x, x),
  "0 x": s.mul(0, x),
  "-0 x": s.mul(-0, x),
  "x -0": s.mul(x, -0),
  "0 / x": s.div(0, x),
  "x / 0": s.div(x, 0),
  "x / -0": s.div(x, -0),
  "x / 0, the floor of": s.floordiv(x, 0),
  "x / -0, the floor of": s.floordiv(x, -0),
  "x / 0 without a fraction": s.truncdiv(x, 0),
  "x / -0 without a fraction": s.truncdiv(x, -0),
  "1 / (1 / x)": s.div(1, s.div(1, x)),
  "√(x x)": s.sqrt(s.mul(x, x)),
  "exp(log(x))": s.exp(s.log(x)),
  sigmoid: s.sigmoid(x),
  softplus: s.log1p(s.exp(x)),
  rsqrt: s.rsqrt(x),
  relu: s.relu(x),
  clamp: s.clamp(x, -1, 1),
  "max with -∞": s.max(x, Number.NEGATIVE_INFINITY),
  "min with NaN": s.min(x, Number.NaN),
  "a mask": s.add(s.select(s.gt(x, 0), 0, Number.NEGATIVE_INFINITY), x),
  "x where it is a number": s.select(s.isnan(x), 7, x),
  "x where it is finite": s.select(s.isinf(x), 7, x),
  "1 / x where that is finite": s.select(s.eq(x, 0), 0, s.div(1, x)),
};

const tests: Readonly<Record<string, ScalarExpr>> = {
  "x = x": s.eq(x, x),
  "x ≠ x": s.ne(x, x),
  "not x < 1": s.not(s.lt(x, 1)),
  "not x >= 1": s.not(s.ge(x, 1)),
  "x > 0 or x <= 0": s.or(s.gt(x, 0), s.le(x, 0)),
  "x - x is NaN": s.isnan(s.sub(x, x)),
};

const VALUES = [0, 1, -1, Infinity, -Infinity, NaN, 0.5, 100, -60, 1e30, -1e30, 3e38, 1e-30, 88, -80, 2].map(
  Math.fround,
);

/** A denormal may be zero. */
const agree = (a: ScalarValue, b: ScalarValue): boolean =>
  Object.is(a, b) ||
  a === b ||
  (Number.isFinite(b) && Math.abs(Number(a) - Number(b)) <= 1e-5 * Math.abs(Number(b)) + 2 ** -126);

await describeWithDevice("infinities and NaN", (device) => {
  test.each([
    ...Object.entries(floats).map(([name, expr]) => [name, expr, "float32"] as const),
    ...Object.entries(tests).map(([name, expr]) => [name, expr, "bool"] as const),
  ])("%s", async (_, expr, result) => {
    const typed = typeExpr(expr, { compute: "float32", operands: ["float32"], result });
    const operands = [{ dtype: "float32", data: VALUES, strides: [1], offset: 0 } as const];
    const kernel = { shape: [VALUES.length], operands, expr: typed };
    const actual = await runOnDevice(device, kernel);
    const wrong = runReference(kernel).flatMap((value, i) =>
      agree(actual[i] as ScalarValue, value) ? [] : [`${VALUES[i]}: ${actual[i]}, not ${value}`],
    );
    expect(wrong).toEqual([]);
  });
});

test("float64 is computed as float32 is, and its finite constants stay finite", () => {
  const text = (dtype: "float32" | "float64"): string => {
    const expr = s.add(s.tanh(s.pow(x, 2.5)), s.select(s.isnan(x), -3, s.mul(x, 0.1)));
    return scalarFunction("f", typeExpr(expr, { compute: dtype, operands: [dtype], result: dtype }), [dtype]);
  };
  expect(text("float64")).toBe(text("float32"));
  const least = typeExpr(s.max(x, -Number.MAX_VALUE), { compute: "float64", operands: ["float64"], result: "float64" });
  expect(scalarFunction("f", least, ["float64"])).toContain("-3.4028234663852886e+38f");
});
