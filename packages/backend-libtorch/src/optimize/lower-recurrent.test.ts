import { describe, expect, it } from "vitest";
import { lowerRecurrent } from "./lower-recurrent.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const OWN = cpu(["pt2::recurrent", "pt2::pack_linear_weight"]);
const gru = (hidden: number, flags: string, params = "[%i, %h, %bi, %bh]"): string => `
  parameter "i" = %i: f32[${3 * hidden}, 4]
  parameter "h" = %h: f32[${3 * hidden}, ${hidden}]
  parameter "bi" = %bi: f32[${3 * hidden}]
  parameter "bh" = %bh: f32[${3 * hidden}]
  user_input %x: f32[s0, 20, 4]
  user_input %hx: f32[1, s0, ${hidden}]
  gru: [%y: f32[s0, 20, ${hidden}], %last: f32[1, s0, ${hidden}]] = aten::gru.input(input=%x, hx=%hx, params=${params}, ${flags}, bidirectional=false, batch_first=true)
  return %y, %last`;
const PLAIN = "has_biases=true, num_layers=1, dropout=0.0, train=false";

describe("lowerRecurrent", () => {
  it("packs the weights, and keeps both results", () => {
    expect(text(lowerRecurrent(program(gru(8, PLAIN)), OWN))).toMatchInlineSnapshot(`
      "parameter "i" = %i: f32[24, 4]
      parameter "h" = %h: f32[24, 8]
      parameter "bi" = %bi: f32[24]
      parameter "bh" = %bh: f32[24]
      user_input %x: f32[s0, 20, 4]
      user_input %hx: f32[1, s0, 8]
      %pack_linear_weight: f32[24, 4] = pt2::pack_linear_weight(weight=%i)
      %pack_linear_weight_1: f32[24, 8] = pt2::pack_linear_weight(weight=%h)
      gru: [%y: f32[s0, 20, 8], %last: f32[1, s0, 8]] = pt2::recurrent(x=%x, hx=[%hx], weights=[%pack_linear_weight, %pack_linear_weight_1, %bi, %bh], kind="gru", hidden=8, biased=true, batch_first=true, bidirectional=false)
      return %y, %last"
    `);
  });

  it.each([
    ["large states", gru(512, PLAIN)],
    ["dropout", gru(8, "has_biases=true, num_layers=1, dropout=0.5, train=true")],
    ["weights that do not fit the flags", gru(8, "has_biases=false, num_layers=1, dropout=0.0, train=false")],
    ["weights that are computed", gru(8, PLAIN, "[%x, %h, %bi, %bh]")],
  ])("leaves %s", (_, body) => {
    const before = program(body);
    expect(text(lowerRecurrent(before, OWN))).toBe(text(before));
  });

  it("leaves a claimed op, and needs the kernel", () => {
    const before = program(gru(8, PLAIN));
    expect(lowerRecurrent(before, cpu(["pt2::recurrent"], ["aten::gru.input"]))).toBe(before);
    expect(lowerRecurrent(before, cpu())).toBe(before);
  });
});
