import { describe, expect, it } from "vitest";
import { cpu, program, text } from "./passes.test-helper.ts";
import { reshapeViews } from "./reshape-views.ts";

describe("reshapeViews", () => {
  it("replaces views, which need strides that another device may not give", () => {
    const before = program(`user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %b: f32[6] = aten::view(%a, size=[6])
      return %b`);
    expect(text(reshapeViews(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %b: f32[6] = aten::reshape(%a, shape=[6])
      return %b"
    `);
  });

  it("leaves a program alone that writes in place, as it may write through a view", () => {
    const before = program(`user_input %x: f32[2, 3]
      %a: f32[2, 3] = aten::relu(%x)
      %b: f32[6] = aten::view(%a, size=[6])
      %c: f32[6] = aten::add_.Scalar(%b, other=1)
      return %a`);
    expect(reshapeViews(before, cpu())).toBe(before);
  });
});
