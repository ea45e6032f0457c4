import { describe, expect, it } from "vitest";
import { lowerDropIns } from "./lower-drop-ins.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("lowerDropIns", () => {
  const before = program(`user_input %x: f32[4, 8]
    user_input %i: i64[8]
    user_input %h: f16[8]
    %v: f32[4, 3], %at: i64[4, 3] = aten::topk(self=%x, k=3, largest=false)
    %w: i64[2], %on: i64[2] = aten::topk(self=%i, k=2)
    %c: f32[4, 16] = aten::cat(tensors=[%x, %x], dim=1)
    %j: i64[16] = aten::cat(tensors=[%i, %i])
    %t: f16[2], %of: i64[2] = aten::topk(self=%h, k=2)
    %k: f16[16] = aten::cat(tensors=[%h, %h])
    %m: f32[5] = aten::cat(tensors=[%c, %t])
    return %v, %at, %w, %on, %c, %j, %t, %of, %k, %m`);

  it("takes those whose operands all have a dtype of the kernel", () => {
    expect(text(lowerDropIns(before, cpu(["pt2::topk", "pt2::cat"])))).toMatchInlineSnapshot(`
      "user_input %x: f32[4, 8]
      user_input %i: i64[8]
      user_input %h: f16[8]
      %v: f32[4, 3], %at: i64[4, 3] = pt2::topk(%x, k=3, largest=false)
      %w: i64[2], %on: i64[2] = aten::topk(%i, k=2)
      %c: f32[4, 16] = pt2::cat(tensors=[%x, %x], dim=1)
      %j: i64[16] = aten::cat(tensors=[%i, %i])
      %t: f16[2], %of: i64[2] = aten::topk(%h, k=2)
      %k: f16[16] = pt2::cat(tensors=[%h, %h])
      %m: f32[5] = aten::cat(tensors=[%c, %t])
      return %v, %at, %w, %on, %c, %j, %t, %of, %k, %m"
    `);
  });

  it("takes tables of int64, and copies of float32", () => {
    const tables = program(`user_input %x: f32[4, 8]
      user_input %h: f16[4, 8]
      user_input %i: i64[3]
      user_input %m: bool[4]
      %a: f32[3, 8] = aten::index.Tensor(%x, indices=[%i])
      %b: f16[4, 3] = aten::index.Tensor(%h, indices=[none, %i])
      %c: f32[s0, 8] = aten::index.Tensor(%x, indices=[%m])
      %d: f32[4, 8] = aten::contiguous(%x)
      %e: f16[4, 8] = aten::contiguous(%h)
      return %a, %b, %c, %d, %e`);
    expect(text(lowerDropIns(tables, cpu(["pt2::index", "pt2::contiguous"])))).toMatchInlineSnapshot(`
      "user_input %x: f32[4, 8]
      user_input %h: f16[4, 8]
      user_input %i: i64[3]
      user_input %m: bool[4]
      %a: f32[3, 8] = pt2::index(%x, indices=[%i])
      %b: f16[4, 3] = pt2::index(%h, indices=[none, %i])
      %c: f32[s0, 8] = aten::index.Tensor(%x, indices=[%m])
      %d: f32[4, 8] = pt2::contiguous(%x)
      %e: f16[4, 8] = aten::contiguous(%h)
      return %a, %b, %c, %d, %e"
    `);
  });

  it("lets what follows convolutions lie in any order", () => {
    const sequences = program(`user_input %x: f32[1, 8, 6]
      %c: f32[1, 8, 6] = pt2::direct_conv2d(x=%x)
      %r: f32[1, 8, 6] = aten::relu(%c)
      %y: f32[1, 16, 6] = aten::cat(tensors=[%r, %c], dim=1)
      %z: f32[1, 16, 6] = aten::cat(tensors=[%x, %x], dim=1)
      return %y, %z`);
    expect(text(lowerDropIns(sequences, cpu(["pt2::cat"])))).toMatchInlineSnapshot(`
      "user_input %x: f32[1, 8, 6]
      %c: f32[1, 8, 6] = pt2::direct_conv2d(x=%x)
      %r: f32[1, 8, 6] = aten::relu(%c)
      %y: f32[1, 16, 6] = pt2::cat(tensors=[%r, %c], dim=1, any_order=true)
      %z: f32[1, 16, 6] = pt2::cat(tensors=[%x, %x], dim=1)
      return %y, %z"
    `);
  });

  it("needs the kernel, and an op without a handler", () => {
    expect(lowerDropIns(before, cpu())).toBe(before);
    expect(lowerDropIns(before, cpu(["pt2::topk"], ["aten::topk"]))).toBe(before);
  });
});
