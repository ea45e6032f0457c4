import { describe, expect, it } from "vitest";
import { program, text } from "../optimize/passes.test-helper.ts";
import { withRecordedStrides } from "./recorded-strides.ts";

describe("withRecordedStrides", () => {
  it("copies an input to the order of memory that it was exported with", () => {
    const before = program(`user_input %x: f32[2, 3, 5, 7]{strides=[105, 1, 21, 3]}
      %y: f32[2, 5, 7, 3] = aten::permute(%x, dims=[0, 2, 3, 1])
      return %y, %x`);
    expect(text(withRecordedStrides(before)).split("\n").slice(1)).toEqual([
      "%x_laid: f32[2, 5, 7, 3] = aten::permute(%x, dims=[0, 2, 3, 1])",
      "%x_laid_1: f32[2, 5, 7, 3] = aten::contiguous(%x_laid)",
      "%x_laid_2: f32[2, 3, 5, 7]{strides=[105, 1, 21, 3]} = aten::permute(%x_laid_1, dims=[0, 3, 1, 2])",
      "%y: f32[2, 5, 7, 3] = aten::permute(%x_laid_2, dims=[0, 2, 3, 1])",
      "return %y, %x_laid_2",
    ]);
  });

  it("copies an input of sizes that may change", () => {
    const before = program(`user_input %x: f32[s0, 3, s1]{strides=[s1, s0*s1, 1]}
      %y: f32[3, s0*s1] = aten::view(%x, size=[3, -1])
      return %y`);
    expect(text(withRecordedStrides(before))).toContain("= aten::permute(%x, dims=[1, 0, 2])");
  });

  it.each([
    ["contiguous", "f32[2, 3]"],
    ["contiguous but for a dimension of one element", "f32[2, 1, 3]{strides=[3, 1, 1]}"],
    ["expanded", "f32[2, 3]{strides=[0, 1]}"],
    ["part of a larger one", "f32[2, 3]{strides=[1, 4]}"],
    ["empty", "f32[0, 3]{strides=[1, 5]}"],
    ["perhaps not dense", "f32[s0, 3]{strides=[1, s1]}"],
  ])("leaves an input that is %s", (_, type) => {
    const before = program(`user_input %x: ${type}
      %y: f32[2] = aten::sum.dim_IntList(%x, dim=[1])
      return %y`);
    expect(withRecordedStrides(before)).toBe(before);
  });
});
