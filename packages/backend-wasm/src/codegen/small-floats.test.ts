import { bitsToFloat } from "@pt2/format";
import { convert, type TypedExpr } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { runKernel } from "./group.test-helper.ts";

test("a number that becomes a float16 in the middle of a loop is the nearest one, ties to even, also beyond its range", () => {
  const halves = Array.from({ length: 0x7c01 }, (_, bits) => bitsToFloat("float16", bits));
  const between = halves.slice(0, -2).flatMap((x, i) => {
    const middle = (x + halves[i + 1]!) / 2;
    return [middle, middle * (1 + 2 ** -20), middle * (1 - 2 ** -20)];
  });
  const beyond = [65519.99, 65520, 65536, 1e10, 2 ** 113, 2 ** 114, 3e38, 2 ** -25, 2 ** -26, 1e-40, 1e-45];
  const data = [...halves, ...between, ...beyond].flatMap((x) => [Math.fround(x), -Math.fround(x)]).concat(Number.NaN);
  const half: TypedExpr = { kind: "cast", dtype: "float16", x: { kind: "input", index: 0, dtype: "float32" } };
  const back: TypedExpr = { kind: "cast", dtype: "float32", x: half };
  const [got] = runKernel({
    shape: [data.length],
    operands: [{ dtype: "float32", data, strides: [1] }],
    outputs: [back],
  });
  const wrong = data.filter((x, i) => !Object.is(got![i], convert("float16", x)));
  expect(wrong.slice(0, 5)).toEqual([]);
});
