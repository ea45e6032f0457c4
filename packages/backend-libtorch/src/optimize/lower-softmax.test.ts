import { describe, expect, it } from "vitest";
import { lowerSoftmax } from "./lower-softmax.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("lowerSoftmax", () => {
  it("computes over steps and sides in the order of what convolutions return", () => {
    const before = program(`user_input %x: f32[1, 8, 6]
      user_input %i: f32[1, 8, 6, 5]
      %a: f32[1, 8, 6] = pt2::direct_conv2d(x=%x)
      %b: f32[1, 8, 6] = aten::softmax.int(%a, dim=-1)
      %c: f32[1, 8, 6, 5] = pt2::conv1x1(x=%i)
      %d: f32[1, 8, 6, 5] = aten::log_softmax.int(%c, dim=2)
      return %b, %d`);
    expect(text(lowerSoftmax(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f32[1, 8, 6]
      user_input %i: f32[1, 8, 6, 5]
      %a: f32[1, 8, 6] = pt2::direct_conv2d(x=%x)
      %permute: f32[1, 6, 8]{strides=[48, 1, 6]} = aten::permute(%a, dims=[0, 2, 1])
      %softmax: f32[1, 6, 8]{strides=[48, 1, 6]} = aten::softmax.int(%permute, dim=1)
      %permute_1: f32[1, 8, 6] = aten::permute(%softmax, dims=[0, 2, 1])
      %c: f32[1, 8, 6, 5] = pt2::conv1x1(x=%i)
      %permute_2: f32[1, 6, 5, 8]{strides=[240, 5, 1, 30]} = aten::permute(%c, dims=[0, 2, 3, 1])
      %log_softmax: f32[1, 6, 5, 8]{strides=[240, 5, 1, 30]} = aten::log_softmax.int(%permute_2, dim=1)
      %permute_3: f32[1, 8, 6, 5] = aten::permute(%log_softmax, dims=[0, 3, 1, 2])
      return %permute_1, %permute_3"
    `);
  });

  it("leaves what is over channels or batches, and what follows something else", () => {
    const before = program(`user_input %x: f32[1, 8, 6]
      %a: f32[1, 8, 6] = pt2::direct_conv2d(x=%x)
      %b: f32[1, 8, 6] = aten::softmax.int(%a, dim=1)
      %c: f32[1, 8, 6] = aten::softmax.int(%a, dim=0)
      %d: f32[1, 8, 6] = aten::softmax.int(%x, dim=2)
      return %b, %c, %d`);
    expect(lowerSoftmax(before, cpu())).toBe(before);
  });
});
