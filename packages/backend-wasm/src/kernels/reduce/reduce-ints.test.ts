import { type HostTensor, hostTensor } from "@pt2/backend";
import { randomBelow } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { columnsAlong } from "./reference.test-helper.ts";

const DTYPES = { u8: "uint8", i8: "int8", i16: "int16", i32: "int32", i64: "int64", b8: "bool" } as const;

const FOLD = {
  sum: (a: bigint, b: bigint) => BigInt.asIntN(64, a + b),
  prod: (a: bigint, b: bigint) => BigInt.asIntN(64, a * b),
  amax: (a: bigint, b: bigint) => (a > b ? a : b),
  amin: (a: bigint, b: bigint) => (a < b ? a : b),
} as const;

const SHAPES: readonly (readonly [shape: readonly number[], dims: readonly number[]])[] = [
  [[7, 301], [1]],
  [[301, 47], [0]],
  [[3, 40, 50], [1]],
  [
    [5, 6, 7, 3],
    [0, 2],
  ],
  [
    [2, 517],
    [0, 1],
  ],
  [[4, 1, 3], [1]],
];

test.each(Object.entries(DTYPES))(
  "reductions of %s are those of whole numbers that wrap around",
  async (short, dtype) => {
    const below = randomBelow(5);
    for (const [shape, dims] of SHAPES) {
      const length = shape.reduce((n, size) => n * size, 1);
      const wide = Array.from({ length }, () =>
        BigInt.asIntN(64, (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32))),
      );
      const bits = { u8: 8, i8: 8, i16: 16, i32: 32, i64: 64, b8: 1 }[short]!;
      const narrow = wide.map((x) => (short[0] === "i" ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x)));
      const types = { u8: Uint8Array, i8: Int8Array, i16: Int16Array, i32: Int32Array, b8: Uint8Array };
      const data = short === "i64" ? BigInt64Array.from(narrow) : types[short as "u8"].from(narrow, Number);
      const name = short === "b8" ? "bool" : short;
      const [x, kept] = [`${name}[${shape}]`, shape.filter((_, d) => !dims.includes(d))];
      const results = await runByAnyThreads(
        `
      user_input %x: ${x}
      %sum: i64[${kept}] = aten::sum.dim_IntList(self=%x, dim=[${dims}])
      %amax: ${name}[${kept}] = aten::amax(self=%x, dim=[${dims}])
      %amin: ${name}[${kept}] = aten::amin(self=%x, dim=[${dims}])
      %prod: i64[${shape.slice(1)}] = aten::prod.dim_int(self=%x, dim=0)
      return %sum, %amax, %amin, %prod`,
        [hostTensor(dtype, shape, data) as HostTensor],
      );
      const expected = [
        ...(["sum", "amax", "amin"] as const).map((op) =>
          columnsAlong(narrow, shape, dims).map((x) => x.reduce(FOLD[op])),
        ),
        columnsAlong(narrow, shape, [0]).map((x) => x.reduce(FOLD.prod)),
      ];
      expect(results.map((result) => Array.from(result.data as Iterable<number | bigint>, BigInt))).toEqual(expected);
    }
  },
);

test("reductions of no elements are what they start from, and a mask that lies column by column is counted as it is", async () => {
  const [sum, prod, total, counts] = await runByAnyThreads(
    `
    user_input %x: i32[0, 3]
    user_input %m: bool[5, 64]
    %sum: i64[3] = aten::sum.dim_IntList(self=%x, dim=[0])
    %prod: i64[3] = aten::prod.dim_int(self=%x, dim=0)
    %t: bool[64, 5] = aten::t(self=%m)
    %n: i64[] = aten::sum(self=%t)
    %c: i64[64] = aten::sum.dim_IntList(self=%t, dim=[1])
    return %sum, %prod, %n, %c`,
    [
      hostTensor("int32", [0, 3], new Int32Array(0)),
      hostTensor(
        "bool",
        [5, 64],
        Uint8Array.from({ length: 320 }, (_, i) => (i % 64 === 3 ? 1 : 0)),
      ),
    ],
  );
  expect([...sum!.data]).toEqual([0n, 0n, 0n]);
  expect([...prod!.data]).toEqual([1n, 1n, 1n]);
  expect([...total!.data]).toEqual([5n]);
  expect([...counts!.data]).toEqual(Array.from({ length: 64 }, (_, i) => (i === 3 ? 5n : 0n)));
});
