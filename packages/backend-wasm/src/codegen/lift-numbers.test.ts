import { keyOf, type ScalarExpr, scalar as s, type TypedExpr, typeExpr } from "@pt2/registry/scalar";
import { afterEach, expect, test, vi } from "vitest";
import { createElementwiseCompiler } from "./compiler.ts";
import { runKernel, runReference } from "./group.test-helper.ts";
import { liftNumbers } from "./lift-numbers.ts";

afterEach(() => vi.restoreAllMocks());

const [x, y] = [s.input(0), s.input(1)];

function typed(expr: ScalarExpr, dtype: "float32" | "float64" | "int32" | "int64" = "float32"): TypedExpr {
  return typeExpr(expr, { compute: dtype, operands: [dtype, dtype], result: dtype });
}

test("expressions that differ only in numbers become one, with the numbers as inputs", () => {
  const lifted = [0.25, -3, 1e30].map((c) => liftNumbers([typed(s.add(s.mul(x, c), s.sub(y, c + 7)))], 2));
  expect(new Set(lifted.map(({ outputs }) => keyOf(...outputs))).size).toBe(1);
  expect(lifted.map(({ numbers }) => numbers.map(({ value }) => value))).toEqual([
    [0.25, 7.25],
    [-3, 4],
    [1e30, 1e30 + 7],
  ]);
});

test.each([
  ["a power", s.pow(x, 3)],
  ["a bound", s.max(x, 0)],
  ["one, beside which functions are cheaper", s.add(s.exp(x), 1)],
])("%s stays in the code, which depends on it", (_, expr) => {
  expect(liftNumbers([typed(expr)], 2).numbers).toEqual([]);
});

test.each(["float32", "float64", "int32", "int64"] as const)(
  "%s numbers compute the same as inputs and in the code",
  (dtype) => {
    const big = dtype === "int64" ? 2n ** 60n + 3n : 123456.75;
    const data = Array.from({ length: 21 }, (_, i) => (dtype === "int64" ? BigInt(i - 9) : i - 9));
    const expr = s.select(s.gt(x, 2), s.add(s.mul(x, -5), big), s.sub(3, x));
    const group = { shape: [7, 3], operands: [{ dtype, strides: [3, 1], data }], outputs: [typed(expr, dtype)] };
    expect(runKernel(group)).toEqual(runReference(group));
  },
);

/** Returns the sizes of the modules that will be compiled. */
function modules(): readonly number[] {
  const sizes: number[] = [];
  const Counted = class extends WebAssembly.Module {
    constructor(bytes: BufferSource) {
      super(bytes);
      sizes.push(bytes.byteLength);
    }
  };
  vi.spyOn(WebAssembly, "Module").mockImplementation(Counted);
  return sizes;
}

async function compile(exprs: readonly TypedExpr[]): Promise<void> {
  const compiler = createElementwiseCompiler(new WebAssembly.Memory({ initial: 1 }));
  const held = exprs.map((expr) => {
    const { outputs, numbers } = liftNumbers([expr], 2);
    const dtypes = numbers.map(({ dtype }) => dtype);
    return compiler.add({ inputs: ["float32", "float32"], outputs, inner: ["unit", "unit", "unit"], numbers: dtypes });
  });
  await compiler.buildAsync();
  expect(held).toHaveLength(exprs.length);
}

test("a thousand results that differ in numbers are one kernel", async () => {
  const sizes = modules();
  await compile(Array.from({ length: 1000 }, (_, i) => typed(s.mul(s.add(x, i + 0.5), y))));
  expect(sizes).toEqual([expect.any(Number)]);
  expect(sizes[0]).toBeLessThan(2000);
});

test("a thousand kernels are compiled to a few modules", async () => {
  const sizes = modules();
  const functions = [s.sqrt, s.abs, s.neg, s.floor, s.ceil] as const;
  // Each number, written in five digits, is a chain of its own.
  const chain = (i: number): ScalarExpr => {
    let expr: ScalarExpr = x;
    for (let rest = i, at = 0; at < 5; at++, rest = Math.floor(rest / 5)) expr = s.add(functions[rest % 5]!(expr), y);
    return expr;
  };
  await compile(Array.from({ length: 1000 }, (_, i) => typed(chain(i))));
  expect(sizes.length).toBe(4);
  expect(Math.max(...sizes)).toBeLessThan(2 * (sizes.reduce((sum, size) => sum + size, 0) / sizes.length));
});
