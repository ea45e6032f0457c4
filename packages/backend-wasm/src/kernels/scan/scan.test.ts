import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

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
