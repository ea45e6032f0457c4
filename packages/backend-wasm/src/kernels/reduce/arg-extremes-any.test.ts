import { hostTensor, type TypedArray } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { randomBelow } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { columnsAlong } from "./reference.test-helper.ts";

test("argmax distinguishes int64 values that are one double, and stops at the first NaN", async () => {
  const x = hostTensor("int64", [2], BigInt64Array.of(2n ** 60n, 2n ** 60n + 1n));
  const [results] = await runBody(
    `
  user_input %x: i64[2]
  user_input %y: f32[4]
  %a: i64[] = aten::argmax(self=%x)
  %b: i64[] = aten::argmax(self=%y)
  return %a, %b`,
    [[x, floats([4], 1, Number.NaN, 3, Number.NaN)]],
  );
  expect(results).toEqual([[1n], [1n]]);
});

const TYPES = {
  f64: ["float64", Float64Array],
  i64: ["int64", BigInt64Array],
  i32: ["int32", Int32Array],
  i16: ["int16", Int16Array],
  u8: ["uint8", Uint8Array],
} as const;

test.each(Object.entries(TYPES))(
  "argmax and argmin of %s are the first extreme or NaN of each row, column and transposed row, and of all elements",
  async (name, [dtype, type]) => {
    const shape = [6, 31, 5];
    const below = randomBelow(3);
    const values = Array.from({ length: 930 }, () => {
      if (name === "f64") return [Number.NaN, Number.POSITIVE_INFINITY, -0][below(150)] ?? below(9) - 4;
      return name === "u8" ? below(256) : below(30) - 15;
    });
    const data =
      type === BigInt64Array
        ? BigInt64Array.from(values, BigInt)
        : (type as unknown as typeof Float64Array).from(values);
    const results = await runByAnyThreads(
      `
      user_input %x: ${name}[6, 31, 5]
      %t: ${name}[5, 31, 6] = aten::permute(self=%x, dims=[2, 1, 0])
      %a: i64[6, 31] = aten::argmax(self=%x, dim=2)
      %b: i64[6, 1, 5] = aten::argmin(self=%x, dim=1, keepdim=true)
      %c: i64[31, 6] = aten::argmax(self=%t, dim=0)
      %d: i64[] = aten::argmin(self=%t)
      return %a, %b, %c, %d`,
      [hostTensor(dtype, shape, data as TypedArray)],
    );
    const transposed = Array.from({ length: 930 }, (_, i) => {
      const [a, b, c] = [i % 6, Math.floor(i / 6) % 31, Math.floor(i / 186)];
      return values[a * 155 + b * 5 + c]!;
    });
    const first = (least: boolean) => (column: readonly number[]) => {
      const noNumber = column.findIndex(Number.isNaN);
      return BigInt(noNumber >= 0 ? noNumber : column.indexOf((least ? Math.min : Math.max)(...column)));
    };
    expect(results.map((result) => [...(result.data as BigInt64Array)])).toEqual([
      columnsAlong(values, shape, [2]).map(first(false)),
      columnsAlong(values, shape, [1]).map(first(true)),
      columnsAlong(transposed, [5, 31, 6], [0]).map(first(false)),
      [first(true)(transposed)],
    ]);
  },
);
