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
  ["grad() has no option `wrtt`", { wrtt: ["w"] }],
  ["grad() has no option `constructor`", { constructor: 1 }],
  ["`wrt` of grad() is not an array", { wrt: "w" }],
  ["`of` of grad() is not a number", { of: "0" }],
  ["`weights` of grad() is not a Map", { weights: {} }],
  ["`ops` of grad() is not an array", { ops: {} }],
  ["`shapes` of grad() is not an object", { shapes: [] }],
  ["`recompute` of grad() is not a boolean", { recompute: 1 }],
  ["The options of grad() are not an object", null],
])("%s", async (what, options) => {
  await expect(grad(PROGRAM, options as GradOptions)).rejects.toMatchObject({ code: "autograd.options", what });
});

test.each([
  ["withLoss() has no option `losss`", { losss: "aten::mse_loss" }],
  ["`loss` of withLoss() is not a string", { loss: 3 }],
  ["`target` of withLoss() is not an object", { target: "int64" }],
  ["The options of withLoss() are not an object", null],
])("%s", (what, options) => {
  expect(() => withLoss(PROGRAM, options as LossOptions)).toThrow(
    expect.objectContaining({ code: "autograd.options", what }),
  );
});

test.each([[undefined], [{}], ["mlp.pt2"]])("%j is no program", async (program) => {
  const refusal = { code: "autograd.options", what: "grad() got no program" };
  await expect(grad(program as never)).rejects.toMatchObject(refusal);
});

test("options that are undefined are those that are not given", async () => {
  const options = { of: undefined, wrt: undefined, recompute: undefined } as unknown as GradOptions;
  expect(await grad(PROGRAM, options)).toEqual(await grad(PROGRAM));
});
