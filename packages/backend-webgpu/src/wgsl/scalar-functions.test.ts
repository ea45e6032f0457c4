import { distance, isDivision, samples, typedFunction as typed } from "@pt2/conformance";
import type { DType } from "@pt2/format";
import { BINARY_FNS, type ScalarValue, scalar as s, type TypedExpr, typeExpr, UNARY_FNS } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { runOnDevice, runReference, type TestOperand } from "./elementwise.test-helper.ts";

const DTYPES: readonly DType[] = [
  "float32",
  "float16",
  "bfloat16",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "bool",
];
const COUNT = 120;
const GPU = { narrow: true };

const operand = (dtype: DType, seed: number): TestOperand => ({
  dtype,
  data: samples(dtype, COUNT, randomUnit(seed), GPU),
  strides: [1],
  offset: 0,
});

// Tolerances in units in the last place. The built-in exp is precise to 3 + 2|x| of them.
const ULPS: Readonly<Record<string, number>> = { exp: 120, expm1: 120, sinh: 120, cosh: 120, erfc: 160 };
/** Functions with zeros that no float is near enough to are compared absolutely. */
const ABSOLUTE: Readonly<Record<string, number>> = { sin: 2e-7, cos: 2e-7, lgamma: 1e-6, digamma: 2e-6 };

/** float16 and bfloat16 are computed in float32, so a few functions suffice to see that they are rounded. */
const FOR_HALF_PRECISION: ReadonlySet<string> = new Set([
  "add",
  "mul",
  "div",
  "exp",
  "round",
  "isnan",
  "lt",
  "nextafter",
]);
const tested = (fn: string, dtype: DType): boolean => !dtype.endsWith("float16") || FOR_HALF_PRECISION.has(fn);

async function check(device: GPUDevice, fn: string, expr: TypedExpr, operands: readonly TestOperand[]): Promise<void> {
  const kernel = { shape: [COUNT], operands, expr };
  const actual = await runOnDevice(device, kernel);
  const wrong = runReference(kernel).flatMap((value, i) => {
    const got = actual[i] as ScalarValue;
    const near = Math.abs(Number(got) - Number(value)) < (ABSOLUTE[fn] ?? 0);
    const ulps = distance(got, value, expr.dtype, GPU);
    const from = operands.map(({ data }) => data[i]);
    // The sign of a NaN is unspecified.
    if (fn === "copysign" && Number.isNaN(from[1])) return [];
    return near || ulps <= (ULPS[fn] ?? 4) ? [] : [`${fn}(${from.join(", ")}) = ${got}, not ${value}, ${ulps} ulp`];
  });
  expect(wrong).toEqual([]);
}

await describeWithDevice("scalar functions on the device", (device) => {
  describe.each(DTYPES)("%s", (dtype) => {
    const x = operand(dtype, 2);
    // The order is reversed, so that special values meet others.
    const y = { ...operand(dtype, 3), data: operand(dtype, 3).data.toReversed() };

    test.each(UNARY_FNS.filter((fn) => tested(fn, dtype) && typed(s[fn](s.input(0)), dtype)))("%s", async (fn) => {
      await check(device, fn, typed(s[fn](s.input(0)), dtype) as TypedExpr, [x]);
    });

    test.each(BINARY_FNS.filter((fn) => tested(fn, dtype) && typed(s[fn](s.input(0), s.input(1)), dtype)))(
      "%s",
      async (fn) => {
        const divisors = y.data.map((value) => (Number(value) === 0 && isDivision(fn) ? one(value) : value));
        const expr = typed(s[fn](s.input(0), s.input(1)), dtype) as TypedExpr;
        await check(device, fn, expr, [x, { ...y, data: divisors }]);
      },
    );

    // The reference takes a uint32 that is not an int32 for a float.
    test.each(DTYPES.filter((to) => dtype !== "uint32" || !/int(8|16|32)$/.test(to)))("to %s", async (to) => {
      const expr = typeExpr(s.cast(to, s.input(0)), { compute: dtype, operands: [dtype], result: to });
      await check(device, `to ${to}`, expr, [x]);
    });

    test("select", async () => {
      const rules = { compute: dtype, operands: ["bool", dtype, dtype], result: dtype } as const;
      const expr = typeExpr(s.select(s.input(0), s.input(1), s.input(2)), rules);
      await check(device, "select", expr, [operand("bool", 4), x, y]);
    });
  });
});

/** Integers are not divided by zero. */
const one = (zero: ScalarValue): ScalarValue => (typeof zero === "bigint" ? 1n : 1);
