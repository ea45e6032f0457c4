import { hostTensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

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
