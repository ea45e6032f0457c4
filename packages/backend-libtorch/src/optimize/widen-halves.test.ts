import { widenHalves } from "@pt2/engine/rewrites";
import { describe, expect, it } from "vitest";
import { foldConstants } from "./fold-constants.ts";
import { lowerLinears } from "./lower-linear.ts";
import { cancelConversions, narrowWeights } from "./narrow-weights.ts";
import { cpu, program, text } from "./passes.test-helper.ts";
import type { OptimizeTarget } from "./target.ts";
import { WIDEN } from "./widened-weight.ts";

const OWN = [WIDEN, "pt2::linear_half", "pt2::linear", "pt2::pack_linear_weight"] as const;

function widening(bfloat16: "always" | "between products", claimed: readonly string[] = []): OptimizeTarget {
  return {
    ...cpu(OWN, claimed),
    widensWeight: WIDEN,
    widened: new Map([["float16", "always"] as const, ["bfloat16", bfloat16] as const]),
  };
}

const target = widening("always");
const widened = (body: string, on = target): string => text(widenHalves(program(body), on));

describe("widenHalves", () => {
  it("computes in float32 from inputs to outputs", () => {
    expect(
      widened(`parameter "w" = %w: f16[8, 4]
  user_input %x: f16[3, 4]
  %y: f16[3, 8] = aten::linear(input=%x, weight=%w)
  %r: f16[3, 8] = aten::relu(%y)
  %s: f16[3, 8] = aten::softmax.int(%r, dim=1, dtype=torch.float16)
  return %s`),
    ).toMatchInlineSnapshot(`
      "parameter "w" = %w: f16[8, 4]
      user_input %x: f16[3, 4]
      to: %x_1: f32[3, 4] = aten::to.dtype(%x, dtype=torch.float32)
      widen: %w_1: f32[8, 4] = pt2::widen(weight=%w)
      y: %y_1: f32[3, 8] = aten::linear(input=%x_1, weight=%w_1)
      r: %r_1: f32[3, 8] = aten::relu(%y_1)
      s: %s_1: f32[3, 8] = aten::softmax.int(%r_1, dim=1, dtype=torch.float32)
      to_3: %s: f16[3, 8] = aten::to.dtype(%s_1, dtype=torch.float16)
      return %s"
    `);
  });

  it("rounds where a program converts, in both directions", () => {
    expect(
      widened(`user_input %x: f16[4, 4]
  user_input %f: f32[4, 4]
  %r: f16[4, 4] = aten::mm(%x, mat2=%x)
  %wide: f32[4, 4] = aten::to.dtype(%r, dtype=torch.float32)
  %sum: f32[4, 4] = aten::add.Tensor(%wide, other=%f)
  %half: f16[4, 4] = aten::to.dtype(%sum, dtype=torch.float16)
  %y: f16[4, 4] = aten::exp(%half)
  return %y`),
    ).toMatchInlineSnapshot(`
      "user_input %x: f16[4, 4]
      user_input %f: f32[4, 4]
      to: %x_1: f32[4, 4] = aten::to.dtype(%x, dtype=torch.float32)
      r: %r_1: f32[4, 4] = aten::mm(%x_1, mat2=%x_1)
      to_1: %r: f16[4, 4] = aten::to.dtype(%r_1, dtype=torch.float16)
      %wide: f32[4, 4] = aten::to.dtype(%r, dtype=torch.float32)
      %sum: f32[4, 4] = aten::add.Tensor(%wide, other=%f)
      %half: f16[4, 4] = aten::to.dtype(%sum, dtype=torch.float16)
      to_2: %half_1: f32[4, 4] = aten::to.dtype(%half, dtype=torch.float32)
      y: %y_1: f32[4, 4] = aten::exp(%half_1)
      to_3: %y: f16[4, 4] = aten::to.dtype(%y_1, dtype=torch.float16)
      return %y"
    `);
  });

  it("has results in half precision for ops that jump, for those of users, and for what is returned besides", () => {
    expect(
      widened(
        `user_input %x: f16[4, 4]
  %y: f16[4, 4] = aten::mm(%x, mat2=%x)
  %z: f16[4, 4] = aten::floor(%y)
  %m: bool[4, 4] = aten::gt.Scalar(%y, other=1.0)
  %t: f16[4, 4] = aten::tanh(%y)
  return %z, %m, %t`,
        widening("always", ["aten::tanh"]),
      ),
    ).toMatchInlineSnapshot(`
      "user_input %x: f16[4, 4]
      to: %x_1: f32[4, 4] = aten::to.dtype(%x, dtype=torch.float32)
      y: %y_1: f32[4, 4] = aten::mm(%x_1, mat2=%x_1)
      to_1: %y: f16[4, 4] = aten::to.dtype(%y_1, dtype=torch.float16)
      %z: f16[4, 4] = aten::floor(%y)
      %m: bool[4, 4] = aten::gt.Scalar(%y, other=1.0)
      %t: f16[4, 4] = aten::tanh(%y)
      return %z, %m, %t"
    `);
  });

  it("moves elements in the dtype that they come in", () => {
    expect(
      widened(`user_input %cache: f16[1, 4]
  user_input %x: f16[3, 3]
  user_input %v: f16[3, 4]
  %y: f16[3, 4] = aten::mm(%x, mat2=%v)
  %grown: f16[4, 4] = aten::cat([%cache, %y])
  %z: f16[6, 4] = aten::cat([%y, %y])
  parts: [%a: f16[2, 4], %b: f16[2, 4], %c: f16[2, 4]] = aten::split.Tensor(%z, split_size=2)
  %s: f16[2, 4] = aten::sqrt(%b)
  return %grown, %s, %c`),
    ).toMatchInlineSnapshot(`
      "user_input %cache: f16[1, 4]
      user_input %x: f16[3, 3]
      user_input %v: f16[3, 4]
      to: %x_1: f32[3, 3] = aten::to.dtype(%x, dtype=torch.float32)
      to_1: %v_1: f32[3, 4] = aten::to.dtype(%v, dtype=torch.float32)
      y: %y_1: f32[3, 4] = aten::mm(%x_1, mat2=%v_1)
      to_2: %y: f16[3, 4] = aten::to.dtype(%y_1, dtype=torch.float16)
      %grown: f16[4, 4] = aten::cat([%cache, %y])
      z: %z_1: f32[6, 4] = aten::cat([%y_1, %y_1])
      parts: [%a_1: f32[2, 4], %b_1: f32[2, 4], %c_1: f32[2, 4]] = aten::split.Tensor(%z_1, split_size=2)
      to_6: %c: f16[2, 4] = aten::to.dtype(%c_1, dtype=torch.float16)
      s: %s_1: f32[2, 4] = aten::sqrt(%b_1)
      to_7: %s: f16[2, 4] = aten::to.dtype(%s_1, dtype=torch.float16)
      return %grown, %s, %c"
    `);
  });

  it("has a weight read as it is for few rows, or for any number, and in float32 for many", () => {
    const lowered = (rows: string): string => {
      const before = program(`parameter "w" = %w: f16[8, 4]
  user_input %x: f16[${rows}, 4]
  %y: f16[${rows}, 8] = aten::linear(input=%x, weight=%w)
  return %y`);
      return text(foldConstants(lowerLinears(widenHalves(before, target), target), target).program);
    };
    expect(lowered("3")).toMatchInlineSnapshot(`
      "parameter "w" = %w: f16[8, 4]
      user_input %x: f16[3, 4]
      to: %x_1: f32[3, 4] = aten::to.dtype(%x, dtype=torch.float32)
      %linear_half: f32[3, 8] = pt2::linear_half(input=%x_1, weight=%w, bias=none, round_input=true)
      to_1: %y: f16[3, 8] = aten::to.dtype(%linear_half, dtype=torch.float16)
      return %y"
    `);
    expect(lowered("s0")).toContain("pt2::linear_half(input=%x_1, weight=%w");
    expect(lowered("16")).toContain("pt2::linear(");
  });

  it("leaves products of many rows to a processor that multiplies bfloat16", () => {
    const products = widening("between products");
    const before = program(`parameter "w" = %w: bf16[8, 4]
  user_input %x: bf16[16, 4]
  %y: bf16[16, 8] = aten::linear(input=%x, weight=%w)
  %r: bf16[16, 8] = aten::relu(%y)
  return %r`);
    const passes = [widenHalves, narrowWeights, cancelConversions];
    expect(text(passes.reduce((now, pass) => pass(now, products), before))).toMatchInlineSnapshot(`
      "parameter "w" = %w: bf16[8, 4]
      user_input %x: bf16[16, 4]
      %linear: bf16[16, 8] = aten::linear(input=%x, weight=%w, bias=none)
      %to_4: f32[16, 8] = aten::to.dtype(%linear, dtype=torch.float32)
      r: %r_1: f32[16, 8] = aten::relu(%to_4)
      to_2: %r: bf16[16, 8] = aten::to.dtype(%r_1, dtype=torch.bfloat16)
      return %r"
    `);
  });

  it("leaves convolutions in bfloat16 to such a processor", () => {
    const convolution = program(`parameter "w" = %w: bf16[8, 4, 3, 3]
  user_input %x: bf16[1, 4, 9, 9]
  %y: bf16[1, 8, 7, 7] = aten::conv2d(input=%x, weight=%w)
  return %y`);
    expect(widenHalves(convolution, widening("between products"))).toBe(convolution);
    expect(widenHalves(convolution, cpu(OWN))).toBe(convolution);
    expect(text(widenHalves(convolution, target))).toContain("%y_1: f32[1, 8, 7, 7] = aten::conv2d");
  });

  it.each([
    ["programs in other dtypes", "user_input %x: f32[3, 3]\n  %y: f32[3, 3] = aten::mm(%x, mat2=%x)\n  return %y"],
    ["programs of elementwise ops alone", "user_input %x: f16[3]\n  %y: f16[3] = aten::exp(%x)\n  return %y"],
    [
      "products that a factor of zero leaves out",
      "user_input %x: f16[3, 3]\n  %y: f16[3, 3] = aten::addmm(%x, mat1=%x, mat2=%x, alpha=0)\n  return %y",
    ],
  ])("leaves %s alone", (_, body) => {
    const other = program(body);
    expect(widenHalves(other, target)).toBe(other);
  });
});
