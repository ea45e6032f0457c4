import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runBody } from "../engine/programs.test-helper.ts";

test("frexp takes the largest and the smallest doubles apart", async () => {
  const x = hostTensor("float64", [3], Float64Array.of(2 ** 1023 * 1.5, Number.MIN_VALUE, 8));
  const [results] = await runBody(
    `
  user_input %x: f64[3]
  %m: f64[3], %e: i32[3] = aten::frexp.Tensor(self=%x)
  return %m, %e`,
    [[x]],
  );
  expect(results).toEqual([
    [0.75, 0.5, 0.5],
    [1024, -1073, 4],
  ]);
});
