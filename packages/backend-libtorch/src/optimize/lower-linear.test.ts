import { describe, expect, it } from "vitest";
import { lowerLinears } from "./lower-linear.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const product = (rows: string): string => `parameter "w" = %w: f32[256, 128]
  parameter "b" = %b: f32[256]
  user_input %x: f32[${rows}, 128]
  %y: f32[${rows}, 256] = aten::linear(input=%x, weight=%w, bias=%b)
  return %y`;

describe("lowerLinears", () => {
  it("packs weights for oneDNN", () => {
    expect(text(lowerLinears(program(product("2, 8")), cpu()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[256, 128]
      parameter "b" = %b: f32[256]
      user_input %x: f32[2, 8, 128]
      %reorder_linear_weight: f32[256, 128] = mkldnn::_reorder_linear_weight(%w, batch_size=16)
      %linear_pointwise: f32[2, 8, 256] = mkldnn::_linear_pointwise(X=%x, W=%reorder_linear_weight, B=%b, attr="none", scalars=[], algorithm="")
      return %linear_pointwise"
    `);
    expect(text(lowerLinears(program(product("s0")), cpu()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[256, 128]
      parameter "b" = %b: f32[256]
      user_input %x: f32[s0, 128]
      %reorder_linear_weight: f32[256, 128] = mkldnn::_reorder_linear_weight(%w, batch_size=none)
      %linear_pointwise: f32[s0, 256] = mkldnn::_linear_pointwise(X=%x, W=%reorder_linear_weight, B=%b, attr="none", scalars=[], algorithm="")
      return %linear_pointwise"
    `);
  });

  it("prefers our own kernel", () => {
    expect(text(lowerLinears(program(product("8")), cpu(["pt2::linear"])))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[256, 128]
      parameter "b" = %b: f32[256]
      user_input %x: f32[8, 128]
      %pack_linear_weight: f32[256, 128] = pt2::pack_linear_weight(weight=%w)
      %linear: f32[8, 256] = pt2::linear(x=%x, weight=%pack_linear_weight, out_features=256, bias=%b, residual=none, attr="none", scalars=[], algorithm="")
      return %linear"
    `);
  });

  it("leaves small products, and weights that are computed from inputs", () => {
    const small = program(product("1"));
    expect(lowerLinears(small, cpu())).toBe(small);
    const given = program(`user_input %x: f32[8, 128]
      user_input %w: f32[256, 128]
      %y: f32[8, 256] = aten::linear(input=%x, weight=%w)
      return %y`);
    expect(lowerLinears(given, cpu())).toBe(given);
  });
});
