import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

test("elements are in reverse order along each of the dimensions, whatever lies behind", async () => {
  const x = hostTensor(
    "int16",
    [2, 3, 4],
    Int16Array.from({ length: 24 }, (_, i) => i),
  );
  const [[all, last, turned, one]] = (await runBody(
    `
  user_input %x: i16[2, 3, 4]
  %a: i16[2, 3, 4] = aten::flip(self=%x, dims=[0, 1, 2])
  %b: i16[2, 3, 4] = aten::flip(self=%x, dims=[-1])
  %t: i16[4, 3, 2] = aten::permute(self=%x, dims=[2, 1, 0])
  %c: i16[4, 3, 2] = aten::flip(self=%t, dims=[0])
  %d: i16[2, 3, 4] = aten::flip(self=%x, dims=[])
  return %a, %b, %c, %d`,
    [[x]],
  )) as [number[][]];
  const at = (i: number, j: number, k: number): number => 12 * i + 4 * j + k;
  const each = (shape: readonly number[], of: (i: number, j: number, k: number) => number): number[] =>
    Array.from({ length: 24 }, (_, n) =>
      of(Math.floor(n / shape[1]! / shape[2]!), Math.floor(n / shape[2]!) % shape[1]!, n % shape[2]!),
    );
  expect(all).toEqual(each([2, 3, 4], (i, j, k) => at(1 - i, 2 - j, 3 - k)));
  expect(last).toEqual(each([2, 3, 4], (i, j, k) => at(i, j, 3 - k)));
  expect(turned).toEqual(each([4, 3, 2], (k, j, i) => at(i, j, 3 - k)));
  expect(one).toEqual([...x.data]);
});
