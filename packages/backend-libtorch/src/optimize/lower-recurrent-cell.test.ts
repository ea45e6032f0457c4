import { describe, expect, it } from "vitest";
import { lowerRecurrentCells } from "./lower-recurrent-cell.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const OWN = cpu(["pt2::recurrent", "pt2::pack_linear_weight"]);
const WEIGHTS = `
  parameter "i" = %i: f32[32, 4]
  parameter "h" = %h: f32[32, 8]
  parameter "bi" = %bi: f32[32]
  parameter "bh" = %bh: f32[32]
  user_input %x: f32[s0, 4]
  user_input %hx: f32[s0, 8]
  user_input %cx: f32[s0, 8]`;

describe("lowerRecurrentCells", () => {
  it("takes a step as a sequence", () => {
    const before = program(`${WEIGHTS}
      lstm: %next: f32[s0, 8], %cell: f32[s0, 8] = aten::lstm_cell(input=%x, hx=[%hx, %cx], w_ih=%i, w_hh=%h, b_ih=%bi, b_hh=%bh)
      return %next, %cell`);
    expect(text(lowerRecurrentCells(before, OWN))).toMatchInlineSnapshot(`
      "parameter "i" = %i: f32[32, 4]
      parameter "h" = %h: f32[32, 8]
      parameter "bi" = %bi: f32[32]
      parameter "bh" = %bh: f32[32]
      user_input %x: f32[s0, 4]
      user_input %hx: f32[s0, 8]
      user_input %cx: f32[s0, 8]
      %unsqueeze: f32[1, s0, 8]{strides=[8, 8, 1]} = aten::unsqueeze(%hx, dim=0)
      %unsqueeze_1: f32[1, s0, 8]{strides=[8, 8, 1]} = aten::unsqueeze(%cx, dim=0)
      %unsqueeze_2: f32[1, s0, 4]{strides=[4, 4, 1]} = aten::unsqueeze(%x, dim=0)
      %pack_linear_weight: f32[32, 4] = pt2::pack_linear_weight(weight=%i)
      %pack_linear_weight_1: f32[32, 8] = pt2::pack_linear_weight(weight=%h)
      %recurrent: f32[1, s0, 8]{strides=[8, 8, 1]}, %recurrent_1: f32[1, s0, 8]{strides=[8, 8, 1]}, %recurrent_2: f32[1, s0, 8]{strides=[8, 8, 1]} = pt2::recurrent(x=%unsqueeze_2, hx=[%unsqueeze, %unsqueeze_1], weights=[%pack_linear_weight, %pack_linear_weight_1, %bi, %bh], kind="lstm", hidden=8, biased=true, batch_first=false, bidirectional=false)
      %next: f32[s0, 8] = aten::squeeze.dim(%recurrent_1, dim=0)
      %cell: f32[s0, 8] = aten::squeeze.dim(%recurrent_2, dim=0)
      return %next, %cell"
    `);
  });

  it("leaves weights that are computed, a claimed op, and needs the kernel", () => {
    const step = (weight: string): string => `${WEIGHTS}
      user_input %given: f32[32, 8]
      %next: f32[s0, 8] = aten::gru_cell(input=%x, hx=%hx, w_ih=%i, w_hh=${weight})
      return %next`;
    const computed = program(step("%given"));
    expect(text(lowerRecurrentCells(computed, OWN))).toBe(text(computed));
    const repeated = program(step("%h").replace("%hx: f32[s0, 8]", "%hx: f32[1, 8]"));
    expect(text(lowerRecurrentCells(repeated, OWN))).toBe(text(repeated));
    const before = program(step("%h"));
    expect(text(lowerRecurrentCells(before, OWN))).toContain("biased=false");
    expect(lowerRecurrentCells(before, cpu(["pt2::recurrent"], ["aten::gru_cell"]))).toBe(before);
    expect(lowerRecurrentCells(before, cpu())).toBe(before);
  });
});
