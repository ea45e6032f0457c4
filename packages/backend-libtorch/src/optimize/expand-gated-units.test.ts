import { describe, expect, it } from "vitest";
import { expandGatedUnits } from "./expand-gated-units.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("expandGatedUnits", () => {
  const target = cpu(["pt2::pointwise"]);
  const gated = (shape: string, call: string) =>
    program(`user_input %x: ${shape}
      %y: f32[s0, 32, 100] = ${call}
      return %y`);

  it("multiplies one half with the sigmoid of the other", () => {
    const before = gated("f32[s0, 64, 100]", "aten::glu(%x, dim=-2)");
    expect(text(expandGatedUnits(before, target))).toMatchInlineSnapshot(`
      "user_input %x: f32[s0, 64, 100]
      %narrow: f32[s0, 32, 100]{strides=[6400, 100, 1]} = aten::narrow(%x, dim=1, start=32, length=32)
      %sigmoid: f32[s0, 32, 100] = aten::sigmoid(%narrow)
      %narrow_1: f32[s0, 32, 100]{strides=[6400, 100, 1]} = aten::narrow(%x, dim=1, start=0, length=32)
      %mul: f32[s0, 32, 100] = aten::mul.Tensor(%narrow_1, other=%sigmoid)
      return %mul"
    `);
    expect(expandGatedUnits(before, cpu())).toBe(before);
  });

  it.each([
    ["few elements", "user_input %x: f32[2, 64]\n%y: f32[2, 32] = aten::glu(%x)\nreturn %y"],
    ["another dtype", "user_input %x: f64[200, 64]\n%y: f64[200, 32] = aten::glu(%x)\nreturn %y"],
    ["a size that is not known", "user_input %x: f32[200, s0]\n%y: f32[200, s1] = aten::glu(%x)\nreturn %y"],
  ])("leaves %s", (_, source) => {
    const before = program(source);
    expect(expandGatedUnits(before, target)).toBe(before);
  });
});
