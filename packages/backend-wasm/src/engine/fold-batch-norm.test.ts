import { hostTensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, test } from "vitest";
import { runBody } from "./programs.test-helper.ts";

const weight = floats([2, 1, 1, 1], 1, 10);
const NORM =
  "weight=none, bias=none, running_mean=%m, running_var=%v, training=false, momentum=0.1, eps=0.0, cudnn_enabled=false";

test("normalization of a single sample without a batch is not folded: its channels are the rows", async () => {
  const [results] = await runBody(
    `
  parameter "w" = %w: f32[2, 1, 1, 1]
  parameter "m" = %m: f32[2]
  parameter "v" = %v: f32[2]
  user_input %x: f32[1, 2, 1]
  %y: f32[2, 2, 1] = aten::conv2d(input=%x, weight=%w, bias=none)
  %z: f32[2, 2, 1] = aten::batch_norm(input=%y, ${NORM})
  return %z`,
    [[floats([1, 2, 1], 1, 2)]],
    { w: weight, m: floats([2], 0, 100), v: floats([2], 1, 1) },
  );
  expect(results).toEqual([[1, -98, 10, -80]]);
});

test("statistics of another dtype leave the weights of the convolution as they are", async () => {
  const [results] = await runBody(
    `
  parameter "w" = %w: f16[2, 1, 1, 1]
  parameter "m" = %m: f32[2]
  parameter "v" = %v: f32[2]
  user_input %x: f16[1, 1, 1, 1]
  %y: f16[1, 2, 1, 1] = aten::conv2d(input=%x, weight=%w, bias=none)
  %z: f16[1, 2, 1, 1] = aten::batch_norm(input=%y, ${NORM})
  return %z`,
    [[hostTensor("float16", [1, 1, 1, 1], Uint16Array.of(0x4000))]], // 2
    {
      w: hostTensor("float16", [2, 1, 1, 1], Uint16Array.of(0x3c00, 0x4900)), // 1, 10
      m: floats([2], 0, 5),
      v: floats([2], 1, 1),
    },
  );
  expect(results).toEqual([[2, 15]]);
});

test("a program with precision exact keeps the batch norm of a convolution as an op, with the same results", async () => {
  const body = `
  parameter "w" = %w: f32[2, 1, 1, 1]
  parameter "m" = %m: f32[2]
  parameter "v" = %v: f32[2]
  user_input %x: f32[1, 1, 1, 1]
  %y: f32[1, 2, 1, 1] = aten::conv2d(input=%x, weight=%w, bias=none)
  %z: f32[1, 2, 1, 1] = aten::batch_norm(input=%y, ${NORM})
  return %z`;
  const weights = { w: weight, m: floats([2], 0, 5), v: floats([2], 1, 1) };
  const inputs = [[floats([1, 1, 1, 1], 2)]];
  expect(await runBody(body, inputs, weights, "exact")).toEqual(await runBody(body, inputs, weights));
});
