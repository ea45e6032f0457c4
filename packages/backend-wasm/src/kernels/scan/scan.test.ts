import { type HostTensor, hostTensor } from "@pt2/backend";
import { bitsToFloat, floatToBits } from "@pt2/format";
import { randomBelow, randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { mapColumns } from "../reduce/reference.test-helper.ts";

const SHAPES = [
  [1, 1],
  [3, 70],
  [70, 3],
  [2, 33, 18],
] as const;

/** Combines each element of a column with the result before it; `write` rounds what is stored, and not what goes on. */
function running<T>(step: (a: T, b: T) => T, write: (x: T) => T = (x) => x) {
  return (column: readonly T[]): readonly T[] => {
    const totals: T[] = [];
    for (const [i, x] of column.entries()) totals.push(i === 0 ? x : step(totals[i - 1] as T, x));
    return totals.map((total) => write(total));
  };
}

const scansOf = (name: string, shape: readonly number[]): string => {
  const lines = shape.flatMap((_, dim) =>
    ["cumsum", "cumprod"].map((op) => `%${op}${dim}: ${name}[${shape}] = aten::${op}(self=%x, dim=${dim})`),
  );
  const results = shape.flatMap((_, dim) => [`%cumsum${dim}`, `%cumprod${dim}`]);
  return `\nuser_input %x: ${name}[${shape}]\n${lines.join("\n")}\nreturn ${results.join(", ")}`;
};

test.each(SHAPES.map((shape) => [shape]))(
  "running sums and products of floats of the shape %j are rounded as in PyTorch, by any threads",
  async (shape) => {
    const length = shape.reduce<number>((n, size) => n * size, 1);
    const x = randomFloats(randomUnit(5), length).map((value) => value * 3);
    const check = async (name: string, input: HostTensor, numbers: readonly number[], rules: typeof ROUNDING.f32) => {
      const results = await runByAnyThreads(scansOf(name, shape), [input]);
      const expected = shape.flatMap((_, dim) => [
        mapColumns(
          numbers,
          shape,
          dim,
          running((a, b) => rules.state(a + b), rules.write),
        ),
        mapColumns(
          numbers,
          shape,
          dim,
          running((a, b) => rules.state(a * b), rules.write),
        ),
      ]);
      expect(results.map((result) => numbersOf(result))).toEqual(expected);
    };
    const same = (value: number): number => value;
    const ROUNDING = {
      f64: { state: same, write: same },
      f32: { state: same, write: Math.fround },
      f16: { state: Math.fround, write: (value: number) => bitsToFloat("float16", floatToBits("float16", value)) },
      bf16: { state: Math.fround, write: (value: number) => bitsToFloat("bfloat16", floatToBits("bfloat16", value)) },
    };
    await check("f64", hostTensor("float64", shape, Float64Array.from(x)), [...x], ROUNDING.f64);
    await check("f32", hostTensor("float32", shape, x), [...x], ROUNDING.f32);
    for (const [name, dtype] of [
      ["f16", "float16"],
      ["bf16", "bfloat16"],
    ] as const) {
      const bits = Uint16Array.from(x, (value) => floatToBits(dtype, value));
      const numbers = Array.from(bits, (value) => bitsToFloat(dtype, value));
      await check(name, hostTensor(dtype, shape, bits), numbers, ROUNDING[name]);
    }
  },
);

function numbersOf({ dtype, bytes, data }: HostTensor): readonly number[] {
  if (dtype !== "float16" && dtype !== "bfloat16") return [...(data as Float64Array)];
  return Array.from(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2), (bits) =>
    bitsToFloat(dtype, bits),
  );
}

test.each(SHAPES.map((shape) => [shape]))(
  "running sums and products of integers of the shape %j wrap around",
  async (shape) => {
    const below = randomBelow(9);
    const length = shape.reduce<number>((n, size) => n * size, 1);
    const wide = Array.from({ length }, () =>
      BigInt.asIntN(64, (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32))),
    );
    const odd = Int32Array.from({ length }, () => 2 * below(2 ** 31) + 1);
    const dtyped = scansOf("i32", shape).replaceAll(/(dim=\d)\)/g, "$1, dtype=torch.int32)");
    const [large, small] = [
      await runByAnyThreads(scansOf("i64", shape), [hostTensor("int64", shape, BigInt64Array.from(wide))]),
      await runByAnyThreads(dtyped, [hostTensor("int32", shape, odd)]),
    ];
    const expected = (data: readonly bigint[], bits: number): readonly (readonly bigint[])[] =>
      shape.flatMap((_, dim) => [
        mapColumns(
          data,
          shape,
          dim,
          running((a, b) => BigInt.asIntN(bits, a + b)),
        ),
        mapColumns(
          data,
          shape,
          dim,
          running((a, b) => BigInt.asIntN(bits, a * b)),
        ),
      ]);
    expect(large.map(({ data }) => [...(data as BigInt64Array)])).toEqual(expected(wide, 64));
    expect(small.map(({ data }) => Array.from(data as Int32Array, BigInt))).toEqual(expected([...odd].map(BigInt), 32));
  },
);

test("running sums and products of complex numbers are those of their definition, also of a transposed tensor", async () => {
  const [rows, columns] = [5, 9];
  const parts = Float64Array.from(randomFloats(randomUnit(2), 2 * rows * columns));
  // No sum of it, nor its own product, is NaN.
  parts[1] = Number.POSITIVE_INFINITY;
  const [results] = await runBody(
    `
  user_input %x: c128[${rows}, ${columns}]
  %t: c128[${columns}, ${rows}] = aten::t(self=%x)
  %a: c128[${rows}, ${columns}] = aten::cumsum(self=%x, dim=0)
  %b: c128[${columns}, ${rows}] = aten::cumsum(self=%t, dim=1)
  %c: c128[${rows}, ${columns}] = aten::cumprod(self=%x, dim=1)
  %d: c128[${columns}, ${rows}] = aten::cumprod(self=%t, dim=0)
  return %a, %b, %c, %d`,
    [[hostTensor("complex128", [rows, columns], parts)]],
  );
  type Complex = readonly [re: number, im: number];
  const x = Array.from({ length: rows * columns }, (_, i): Complex => [parts[2 * i]!, parts[2 * i + 1]!]);
  const transposed = Array.from({ length: x.length }, (_, i) => x[(i % rows) * columns + Math.floor(i / rows)]!);
  const add = running<Complex>(([a, b], [c, d]) => [a + c, b + d]);
  const multiply = running<Complex>(([a, b], [c, d]) => [a * c - b * d, a * d + b * c]);
  expect(results).toEqual(
    [
      mapColumns(x, [rows, columns], 0, add),
      mapColumns(transposed, [columns, rows], 1, add),
      mapColumns(x, [rows, columns], 1, multiply),
      mapColumns(transposed, [columns, rows], 0, multiply),
    ].map((result) => result.flat()),
  );
});

test("running sums keep the sign of a zero, and scans of no elements, of one and of repeated ones are possible", async () => {
  const [results] = await runBody(
    `
  user_input %z: f64[2]
  user_input %n: f32[0, 3]
  user_input %one: f32[]
  user_input %r: f32[3, 1]
  %a: f64[2] = aten::cumsum(self=%z, dim=0)
  %b: f32[0, 3] = aten::cumsum(self=%n, dim=0)
  %c: f32[0, 3] = aten::cumprod(self=%n, dim=1)
  %d: f32[] = aten::cumprod(self=%one, dim=0)
  %e: f32[3, 4] = aten::expand(self=%r, size=[3, 4])
  %f: f32[3, 4] = aten::cumsum(self=%e, dim=1)
  return %a, %b, %c, %d, %f`,
    [
      [
        hostTensor("float64", [2], Float64Array.of(-0, -0)),
        hostTensor("float32", [0, 3], new Float32Array(0)),
        hostTensor("float32", [], Float32Array.of(5)),
        hostTensor("float32", [3, 1], Float32Array.of(1, 2, 3)),
      ],
    ],
  );
  expect(results).toEqual([[-0, -0], [], [], [5], [1, 2, 3, 4, 2, 4, 6, 8, 3, 6, 9, 12]]);
});
