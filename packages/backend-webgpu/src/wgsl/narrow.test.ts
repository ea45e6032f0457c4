import { evaluate, type ScalarExpr, scalar as s, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { narrowIntegers } from "./narrow.ts";
import { scalarFunction } from "./scalar.ts";

const LARGE = 2n ** 63n - 1n;
const typed = (expr: ScalarExpr): TypedExpr =>
  typeExpr(expr, { compute: "int64", operands: ["int64", "int64"], result: "int64" });
const x = s.input(0);

test("a bound beyond 32 bits is dropped", () => {
  expect(narrowIntegers(typed(s.clamp(x, -LARGE, LARGE)))).toEqual(typed(x));
  expect(narrowIntegers(typed(s.max(s.min(LARGE, x), 7n)))).toEqual(typed(s.max(x, 7n)));
});

test("a comparison with a constant beyond 32 bits has a known result", () => {
  const tests = { lt: true, le: true, gt: false, ge: false, eq: false, ne: true } as const;
  for (const [fn, expected] of Object.entries(tests)) {
    const chosen = s.select(s[fn as keyof typeof tests](x, LARGE), 1n, 2n);
    expect(evaluate(narrowIntegers(typed(chosen)), [5n])).toBe(expected ? 1n : 2n);
  }
  for (const fn of ["lt", "le", "gt", "ge"] as const) {
    const chosen = s.select(s[fn](LARGE, x), 1n, 2n);
    expect(evaluate(narrowIntegers(typed(chosen)), [5n])).toBe(fn.startsWith("g") ? 1n : 2n);
  }
});

test("anything else that needs more than 32 bits is refused", () => {
  for (const expr of [s.add(x, LARGE), s.select(s.gt(x, 0n), x, -LARGE), s.max(x, LARGE)]) {
    expect(() => scalarFunction("f", typed(expr), ["int64"])).toThrow(
      expect.objectContaining({ code: "webgpu.int64-range" }),
    );
  }
  expect(() => scalarFunction("f", typed(s.add(x, 2n ** 31n - 1n)), ["int64"])).not.toThrow();
});

test("constants in a shared subexpression are found once", () => {
  let expr = s.min(x, LARGE);
  // The tree has 2^60 nodes, if shared ones are visited again.
  for (let i = 0; i < 60; i++) expr = s.add(expr, expr);
  const code = scalarFunction("f", typed(expr), ["int64"]);
  expect(code.split("\n").length).toBeLessThan(70);
});
