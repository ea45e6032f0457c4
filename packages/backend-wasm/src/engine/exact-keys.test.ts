import { floats } from "@pt2/conformance";
import { expect, test } from "vitest";
import { runBody } from "./programs.test-helper.ts";

test("float inputs that JSON writes in the same way have different plans", async () => {
  const x = floats([1], 1);
  const numbers = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 0, -0];
  const results = await runBody(
    `
  user_input %x: f32[1]
  user_input %s: float
  %y: f32[1] = aten::mul.Tensor(self=%x, other=%s)
  return %y`,
    numbers.map((number) => [x, number]),
  );
  expect(results).toEqual(numbers.map((number) => [[number]]));
});

test("an int input may be a bigint", async () => {
  const x = floats([4], 1, 2, 3, 4);
  const [first, second] = await runBody(
    `
  user_input %x: f32[4]
  user_input %s: int
  %y: f32[s0, 4] = aten::expand(self=%x, size=[%s, 4])
  return %y, %s`,
    [
      [x, 2],
      [x, 2n],
    ],
  );
  expect(second).toEqual(first);
});

test("a constant of zeros differs from one of negative zeros", async () => {
  const [results] = await runBody(
    `
  %a: f32[1] = aten::full(size=[1], fill_value=0.0)
  %b: f32[1] = aten::full(size=[1], fill_value=-0.0)
  %c: f32[1] = aten::reciprocal(%a)
  %d: f32[1] = aten::reciprocal(%b)
  return %c, %d`,
    [[]],
  );
  expect(results).toEqual([[Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY]]);
});
