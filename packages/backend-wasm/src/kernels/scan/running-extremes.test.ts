import { hostTensor, type TypedArray } from "@pt2/backend";
import { floatToBits } from "@pt2/format";
import { randomBelow } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { mapColumns } from "../reduce/reference.test-helper.ts";

test("running extremes and logarithms of long vectors take no more memory than their results", async () => {
  const length = 100_003;
  const x = Float32Array.from({ length }, (_, i) => Math.sin(i) * Math.sqrt(i));
  const [results] = await runBody(
    `
  user_input %x: f32[${length}]
  %v: f32[${length}], %i: i64[${length}] = aten::cummax(self=%x, dim=0)
  %w: f32[${length}], %j: i64[${length}] = aten::cummin(self=%x, dim=0)
  %l: f32[${length}] = aten::logcumsumexp(self=%x, dim=0)
  return %v, %i, %w, %j, %l`,
    [[hostTensor("float32", [length], x)]],
  );
  const [high, highAt, low, lowAt, logarithm] = results!.map((result) =>
    [...(result as Iterable<number | bigint>)].at(-1),
  );
  expect([x[Number(highAt)], x[Number(lowAt)]]).toEqual([high, low]);
  expect([high, low]).toEqual([x.reduce((a, b) => Math.max(a, b)), x.reduce((a, b) => Math.min(a, b))]);
  const sum = x.reduce((total, value) => total + Math.exp(value - Number(high)), 0);
  expect(logarithm).toBeCloseTo(Math.log(sum) + Number(high), 3);
});

const TYPES = {
  f64: "float64",
  f32: "float32",
  f16: "float16",
  i64: "int64",
  i32: "int32",
  u8: "uint8",
  bool: "bool",
} as const;

test.each(Object.entries(TYPES))(
  "running extremes of %s are the last ones of equals and of NaNs, along every dimension, by any threads",
  async (name, dtype) => {
    const shape = [3, 20, 17];
    const below = randomBelow(8);
    const values = Array.from({ length: 1020 }, () => {
      if (name === "bool") return below(2);
      return name[0] === "f" && below(60) === 0 ? Number.NaN : below(12);
    });
    const data: Readonly<Record<string, TypedArray>> = {
      f64: Float64Array.from(values),
      f32: Float32Array.from(values),
      f16: Uint16Array.from(values, (value) => floatToBits("float16", value)),
    };
    const whole = (): TypedArray => (name === "i64" ? BigInt64Array.from(values, BigInt) : WHOLE[name]!.from(values));
    const lines = [0, 1, 2].flatMap((dim) =>
      ["cummax", "cummin"].map(
        (op) => `
      %${op}${dim}: ${name}[${shape}], %at${op}${dim}: i64[${shape}] = aten::${op}(self=%x, dim=${dim})
      %to${op}${dim}: f64[${shape}] = aten::to.dtype(self=%${op}${dim}, dtype=torch.float64)`,
      ),
    );
    const names = [0, 1, 2].flatMap((dim) =>
      ["cummax", "cummin"].flatMap((op) => [`%to${op}${dim}`, `%at${op}${dim}`]),
    );
    const results = await runByAnyThreads(
      `\nuser_input %x: ${name}[${shape}]${lines.join("")}\nreturn ${names.join(", ")}`,
      [hostTensor(dtype, shape, data[name] ?? whole())],
    );
    const found = (isNext: (x: number, best: number) => boolean) => (column: readonly number[]) => {
      let [best, at] = [column[0]!, 0];
      return column.map((x, i) => {
        if (Number.isNaN(x) || isNext(x, best)) [best, at] = [x, i];
        return [best, at] as const;
      });
    };
    const expected = [0, 1, 2].flatMap((dim) =>
      [found((x, best) => x >= best), found((x, best) => x <= best)].flatMap((map) => {
        const pairs = mapColumns(values, shape, dim, map);
        return [pairs.map(([best]) => best), pairs.map(([, at]) => at)];
      }),
    );
    expect(results.map((result) => Array.from(result.data as Iterable<number | bigint>, Number))).toEqual(expected);
  },
);

const WHOLE: Readonly<Record<string, Int32ArrayConstructor | Uint8ArrayConstructor>> = {
  i32: Int32Array,
  u8: Uint8Array,
  bool: Uint8Array,
};
