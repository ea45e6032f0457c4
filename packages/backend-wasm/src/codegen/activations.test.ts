import { samples } from "@pt2/conformance";
import { type ScalarExpr, scalar as s, simplify, typeExpr } from "@pt2/registry/scalar";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runKernel, runReference } from "./group.test-helper.ts";

const x = s.input(0);
const cubic = s.add(x, s.mul(0.044715, s.pow(x, 3)));

// Compositions that models use everywhere, some of which are recognized and computed in another way.
const activations: Readonly<Record<string, ScalarExpr>> = {
  sigmoid: s.sigmoid(x),
  silu: s.mul(x, s.sigmoid(x)),
  "silu as a quotient": s.div(x, s.add(s.exp(s.neg(x)), 1)),
  "gelu(erf)": s.mul(s.mul(x, 0.5), s.add(1, s.erf(s.mul(x, Math.SQRT1_2)))),
  "gelu(tanh)": s.mul(s.mul(x, 0.5), s.add(1, s.tanh(s.mul(Math.sqrt(2 / Math.PI), cubic)))),
  hardswish: s.div(s.mul(x, s.clamp(s.add(x, 3), 0, 6)), 6),
  softplus: s.select(s.gt(x, 20), x, s.log1p(s.exp(x))),
  mish: s.mul(x, s.tanh(s.log1p(s.exp(x)))),
  elu: s.select(s.gt(x, 0), x, s.expm1(x)),
};

test.each(Object.entries(activations))("%s", (_, expr) => {
  const random = randomUnit(21);
  const data = [
    ...samples("float32", 200, random),
    ...Array.from({ length: 3000 }, () => Math.fround(random() * 24 - 12)),
  ];
  const output = simplify(typeExpr(expr, { compute: "float32", operands: ["float32"], result: "float32" }));
  const group = {
    shape: [data.length],
    operands: [{ dtype: "float32" as const, data, strides: [1] }],
    outputs: [output],
  };
  const [[actual], [expected]] = [runKernel(group), runReference(group)] as const;
  const wrong = data.flatMap((value, i) => {
    const [got, want] = [actual?.[i] as number, expected?.[i] as number];
    // Where the reference cancels (1 + erf near -1) its error is one unit of 1, times x.
    const slack = 2e-7 * Math.min(Math.abs(value as number), 12) + 1e-6 * Math.abs(want);
    return Object.is(got, want) || Math.abs(got - want) <= slack ? [] : [`${value}: ${got}, not ${want}`];
  });
  expect(wrong).toEqual([]);
});

test("one plus an exponential is right up to the largest float, and beyond it", () => {
  const data = [88.3, 88.5, 88.72, 88.73, 89.3, 89.5, 1000, Infinity, -86, -87.5, -104, -1000, -Infinity, NaN].map(
    Math.fround,
  );
  const outputs = [s.add(s.exp(x), 1), s.add(1, s.tanh(x))].map((expr) =>
    typeExpr(expr, { compute: "float32", operands: ["float32"], result: "float32" }),
  );
  const operands = [{ dtype: "float32" as const, data, strides: [1] }];
  const [exponentials, tangents] = runKernel({ shape: [data.length], operands, outputs });
  const check = (got: number, wanted: number): void => {
    if (Number.isFinite(wanted)) expect(Math.abs(got - wanted)).toBeLessThan(5e-7 * Math.max(1, wanted));
    else expect(got).toBe(wanted);
  };
  for (const [i, value] of data.entries()) {
    check(exponentials?.[i] as number, Math.fround(Math.exp(value) + 1));
    check(tangents?.[i] as number, 1 + Math.tanh(value));
  }
});

test("sine and cosine of one angle share their reduction, whichever path each vector takes", () => {
  const data = Array.from({ length: 40 }, (_, i) => Math.fround(i % 8 === 5 ? 1e5 + i : i - 20));
  const rules = { compute: "float32", operands: ["float32"], result: "float32" } as const;
  const outputs = [typeExpr(s.sin(x), rules), typeExpr(s.cos(x), rules)];
  const [sines, cosines] = runKernel({ shape: [40], operands: [{ dtype: "float32", data, strides: [1] }], outputs });
  for (const [i, value] of data.entries()) {
    expect(sines?.[i]).toBeCloseTo(Math.sin(value), 6);
    expect(cosines?.[i]).toBeCloseTo(Math.cos(value), 6);
  }
});
