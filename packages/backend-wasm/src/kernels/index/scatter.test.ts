import { type HostTensor, hostTensor } from "@pt2/backend";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";

const REDUCES = ["sum", "prod", "mean", "amax", "amin"] as const;

const DTYPES = [
  ["float64", "f64", Float64Array],
  ["int32", "i32", Int32Array],
  ["int16", "i16", Int16Array],
  ["int8", "i8", Int8Array],
  ["uint8", "u8", Uint8Array],
] as const;

function combine(reduce: (typeof REDUCES)[number], x: number, y: number, isFloat: boolean): number {
  if (reduce === "amax" || reduce === "amin") return reduce === "amax" ? Math.max(x, y) : Math.min(x, y);
  if (reduce === "prod") return isFloat ? x * y : Math.imul(x, y);
  return x + y;
}

// An index for each row, and one for each element.
test.each(DTYPES.flatMap((dtype) => [[...dtype, true] as const, [...dtype, false] as const]))(
  "scatter_reduce of %s is that of its arithmetic",
  async (name, short, TypedArray, isExpanded) => {
    const unit = randomUnit(5);
    const [rows, count, width] = [4, 23, 5];
    const isFloat = name === "float64";
    const values = (size: number): InstanceType<typeof TypedArray> =>
      new TypedArray(Array.from({ length: size }, () => (isFloat ? unit() - 0.5 : Math.floor(unit() * 256) - 128)));
    const [self, src] = [values(rows * width), values(count * width)];
    // The last row is not written.
    const positions = Array.from({ length: count * (isExpanded ? 1 : width) }, () => Math.floor(unit() * (rows - 1)));
    const variants = REDUCES.flatMap((reduce) => [true, false].map((include) => ({ reduce, include })));
    const tensor = (data: InstanceType<typeof TypedArray>, ...shape: number[]): HostTensor =>
      hostTensor(name, shape, data as never);
    const results = await runByAnyThreads(
      `
    user_input %s: ${short}[${rows}, ${width}]
    user_input %n: i64[${count}, ${isExpanded ? 1 : width}]
    user_input %x: ${short}[${count}, ${width}]
    %i: i64[${count}, ${width}] = aten::expand(self=%n, size=[${count}, ${width}])
    ${variants
      .map(
        ({ reduce, include }, k) =>
          `%r${k}: ${short}[${rows}, ${width}] = aten::scatter_reduce.two(self=%s, dim=0, index=%i, src=%x, reduce="${reduce}", include_self=${include})`,
      )
      .join("\n")}
    return ${variants.map((_, k) => `%r${k}`).join(", ")}`,
      [
        tensor(self, rows, width),
        hostTensor("int64", [count, isExpanded ? 1 : width], BigInt64Array.from(positions, BigInt)),
        tensor(src, count, width),
      ],
    );
    const expected = variants.map(({ reduce, include }) => {
      const out = self.slice();
      const counts = new Array<number>(out.length).fill(0);
      for (let k = 0; k < src.length; k++) {
        const row = positions[isExpanded ? Math.floor(k / width) : k]!;
        const to = row * width + (k % width);
        out[to] = counts[to]!++ === 0 && !include ? src[k]! : combine(reduce, out[to]!, src[k]!, isFloat);
      }
      if (reduce !== "mean") return out;
      return out.map((sum, to) => {
        if (counts[to] === 0) return sum;
        const quotient = sum / (counts[to]! + (include ? 1 : 0));
        return isFloat ? quotient : Math.floor(quotient);
      });
    });
    expect(results.map(({ data }) => data)).toEqual(expected);
  },
);

test("scatter_reduce of int64 wraps around and floors quotients, and of flags tells any and all", async () => {
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
  const results = await runByAnyThreads(
    `
    user_input %s: i64[3]
    user_input %n: i64[4]
    user_input %x: i64[4]
    user_input %f: bool[3]
    user_input %g: bool[4]
    %sum: i64[3] = aten::scatter_add(self=%s, dim=0, index=%n, src=%x)
    %prod: i64[3] = aten::scatter_reduce.two(self=%s, dim=0, index=%n, src=%x, reduce="prod", include_self=false)
    %most: i64[3] = aten::scatter_reduce.two(self=%s, dim=0, index=%n, src=%x, reduce="amax")
    %least: i64[3] = aten::scatter_reduce.two(self=%s, dim=0, index=%n, src=%x, reduce="amin", include_self=false)
    %mean: i64[3] = aten::scatter_reduce.two(self=%s, dim=0, index=%n, src=%x, reduce="mean")
    %any: bool[3] = aten::scatter_reduce.two(self=%f, dim=0, index=%n, src=%g, reduce="sum")
    %all: bool[3] = aten::scatter_reduce.two(self=%f, dim=0, index=%n, src=%g, reduce="prod", include_self=false)
    %put: bool[3] = aten::index_put(self=%f, indices=[%n], values=%g, accumulate=true)
    return %sum, %prod, %most, %least, %mean, %any, %all, %put`,
    [
      hostTensor("int64", [3], BigInt64Array.of(1n, 5n, 7n)),
      hostTensor("int64", [4], BigInt64Array.of(0n, 1n, 1n, 1n)),
      hostTensor("int64", [4], BigInt64Array.of(most, -4n, 2n ** 62n, -8n)),
      hostTensor("bool", [3], Uint8Array.of(0, 0, 1)),
      hostTensor("bool", [4], Uint8Array.of(1, 1, 0, 1)),
    ],
  );
  expect(results.map(({ data }) => [...data])).toEqual([
    [least, 2n ** 62n - 7n, 7n],
    [most, 0n, 7n],
    [most, 2n ** 62n, 7n],
    [most, -8n, 7n],
    [least / 2n, (2n ** 62n - 7n) / 4n, 7n],
    [1, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
  ]);
});
