import { parse } from "@pt2/graph";
import { expect, test } from "vitest";
import { type GradOptions, grad, type LossOptions, withLoss } from "./index.ts";

const PROGRAM = parse(`program {
  parameter "w" = %w: f32[3]
  user_input %x: f32[3]
  %p: f32[3] = aten::mul.Tensor(self=%x, other=%w)
  %y: f32[] = aten::sum(self=%p)
  return %y
}`);

test.each([
  ["grad() does not take `{ wrtt: array }`; did you mean `wrt`?", { wrtt: ["w"] }],
  ["grad() does not take `{ constructor: 1 }`", { constructor: 1 }],
  ['grad() does not take `{ wrt: "w" }`', { wrt: "w" }],
  ['grad() does not take `{ of: "0" }`', { of: "0" }],
  ["grad() does not take `{ weights: object }`", { weights: {} }],
  ["grad() does not take `{ ops: object }`", { ops: {} }],
  ["grad() does not take `{ shapes: array }`", { shapes: [] }],
  ["grad() does not take `{ recompute: 1 }`", { recompute: 1 }],
  ["grad() does not take `null`", null],
])("%s", async (what, options) => {
  await expect(grad(PROGRAM, options as GradOptions)).rejects.toMatchObject({ code: "autograd.options", what });
});

test.each([
  ['withLoss() does not take `{ losss: "aten::mse_loss" }`; did you mean `loss`?', { losss: "aten::mse_loss" }],
  ["withLoss() does not take `{ loss: 3 }`", { loss: 3 }],
  ['withLoss() does not take `{ target: "int64" }`', { target: "int64" }],
  ["withLoss() does not take `null`", null],
])("%s", (what, options) => {
  expect(() => withLoss(PROGRAM, options as LossOptions)).toThrow(
    expect.objectContaining({ code: "autograd.options", what }),
  );
});

test.each([
  [undefined, "undefined"],
  [{}, "object"],
  ["mlp.pt2", '"mlp.pt2"'],
])("%j is no program", async (program, given) => {
  const what = `grad() takes { graph, inputs, outputs } as \`program\`, not ${given}`;
  const refusal = { code: "autograd.options", what };
  await expect(grad(program as never)).rejects.toMatchObject(refusal);
});

test("options that are undefined count as not given", async () => {
  const options = { of: undefined, wrt: undefined, recompute: undefined } as unknown as GradOptions;
  expect(await grad(PROGRAM, options)).toEqual(await grad(PROGRAM));
});
