import { expect, test } from "vitest";
import { runByAnyThreads } from "../threads/by-any-threads.test-helper.ts";

const SAFE = 2 ** 53;

test.each([
  ["i64", "int64", -3, 12, 4, [-3n, 1n, 5n, 9n]],
  ["i64", "int64", SAFE, SAFE + 6, 2, [BigInt(SAFE), BigInt(SAFE) + 2n, BigInt(SAFE) + 4n]],
  ["i64", "int64", 1.5, 5, 1.5, [1n, 2n, 3n, 4n]],
  ["i64", "int64", 5, 5, 1, []],
  ["i32", "int32", 7, -2, -3, [7, 4, 1]],
  ["u8", "uint8", 254, 258, 1, [254, 255, 0, 1]],
  ["f32", "float32", 0.1, 0.35, 0.1, [0.1, 0.2, 0.1 + 2 * 0.1].map(Math.fround)],
  ["f64", "float64", 1, 2, 0.3, [1, 1.3, 1 + 2 * 0.3, 1 + 3 * 0.3]],
] as const)(
  "an arange of %s (%s) from %s to %s by %s is start + i * step",
  async (dtype, name, start, end, step, is) => {
    const [y] = await runByAnyThreads(
      `
    %y: ${dtype}[${is.length}] = aten::arange.start_step(start=${start}, end=${end}, step=${step}, dtype=torch.${name})
    return %y`,
      [],
    );
    expect([...y!.data]).toEqual(is);
  },
);

test("an arange of float16 rounds each number", async () => {
  const [y] = await runByAnyThreads(
    `
    %x: f16[3] = aten::arange.start_step(start=2047, end=2050, dtype=torch.float16)
    %y: f32[3] = aten::to.dtype(self=%x, dtype=torch.float32)
    return %y`,
    [],
  );
  expect([...y!.data]).toEqual([2047, 2048, 2048]);
});
