import { describe, expect, it } from "vitest";
import { foldConstants } from "./fold-constants.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("foldConstants", () => {
  it("moves what only weights lead to into a prologue", () => {
    const { program: main, prologue } = foldConstants(
      program(`parameter "w" = %w: f32[4, 4]
        parameter "u" = %u: f32[4]
        user_input %x: f32[2, 4]
        %t: f32[4, 4] = aten::t(%w)
        %s: f32[4, 4] = aten::mul.Tensor(%t, other=%u)
        %p: f32[4, 4] = mkldnn::_reorder_linear_weight(self=%s)
        %i: i64[2] = aten::arange(end=2)
        %l: f32[2, 4] = mkldnn::_linear_pointwise(X=%x, W=%p, B=%u, attr="none", scalars=[], algorithm="")
        %y: f32[2, 4] = aten::index.Tensor(%l, indices=[%i])
        return %y`),
      cpu(),
    );
    expect(text(main)).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[4, 4]
      parameter "u" = %u: f32[4]
      user_input %x: f32[2, 4]
      tensor_constant "prologue.p" = %p: f32[4, 4]
      tensor_constant "prologue.i" = %i: i64[2]
      %l: f32[2, 4] = mkldnn::_linear_pointwise(X=%x, W=%p, B=%u, attr="none", scalars=[], algorithm="")
      %y: f32[2, 4] = aten::index.Tensor(%l, indices=[%i])
      return %y"
    `);
    expect(prologue && text(prologue.program)).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[4, 4]
      parameter "u" = %u: f32[4]
      %t: f32[4, 4] = aten::t(%w)
      %s: f32[4, 4] = aten::mul.Tensor(%t, other=%u)
      %p: f32[4, 4] = mkldnn::_reorder_linear_weight(%s)
      %i: i64[2] = aten::arange(end=2)
      return %p, %i"
    `);
    expect(prologue?.targets).toEqual(["prologue.p", "prologue.i"]);
  });

  it("leaves buffers that runs write, random numbers, uninitialized memory and claimed ops", () => {
    const before = program(`buffer "n" = %n: f32[4]
      parameter "w" = %w: f32[4]
      user_input %x: f32[4]
      %a: f32[4] = aten::add.Tensor(%n, other=1)
      %r: f32[4] = aten::rand_like(%w)
      %e: f32[4] = aten::empty.memory_format(size=[4])
      %s: f32[4] = aten::sin(%w)
      %copy: f32[4] = aten::copy_(%n, src=%a)
      return %a, %r, %e, %s`);
    expect(foldConstants(before, cpu([], ["aten::sin"]))).toEqual({ program: before, prologue: null });
  });
});
