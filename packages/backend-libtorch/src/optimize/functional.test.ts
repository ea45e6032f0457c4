import { describe, expect, it } from "vitest";
import { hasClaimedWrites, makeFunctional } from "./functional.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("makeFunctional", () => {
  it("leaves one copy per buffer at the end, and results where they were", () => {
    const before = program(`buffer "n" = %n: f32[3]
      user_input %x: f32[3]
      %a: f32[3] = aten::add_.Tensor(%n, other=1)
      %y: f32[3] = aten::mul.Tensor(%x, other=%a)
      %r: f32[3] = aten::relu_(%y)
      return %r`);
    expect(text(makeFunctional(before, cpu()))).toMatchInlineSnapshot(`
      "buffer "n" = %n: f32[3]
      user_input %x: f32[3]
      %a: f32[3] = aten::add.Tensor(%n, other=1)
      %y: f32[3] = aten::mul.Tensor(%x, other=%a)
      %r: f32[3] = aten::relu(%y)
      update_0: none = aten::copy_(%n, src=%a)
      return %r"
    `);
  });

  it("computes a conjugate that was copied into a tensor before it is viewed as real numbers", () => {
    const before = program(`user_input %x: c64[3]
      %c: c64[3] = aten::_conj(%x)
      %z: c64[3] = aten::zeros(size=[3], dtype=torch.complex64)
      %a: c64[3] = aten::copy_(%z, src=%c)
      %y: f32[3, 2] = aten::view_as_real(%a)
      return %y`);
    expect(text(makeFunctional(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: c64[3]
      %c: c64[3] = aten::_conj(%x)
      %z: c64[3] = aten::zeros(size=[3], dtype=torch.complex64)
      %c_computed: c64[3] = aten::resolve_conj(%c)
      %c_computed_1: c64[3] = aten::resolve_neg(%c_computed)
      %y: f32[3, 2] = aten::view_as_real(%c_computed_1)
      return %y"
    `);
  });

  it("forgets what is written to a user input", () => {
    const before = program(`user_input %x: f32[3]
      %a: f32[3] = aten::add_.Tensor(%x, other=1)
      return %a`);
    expect(text(makeFunctional(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %x: f32[3]
      %a: f32[3] = aten::add.Tensor(%x, other=1)
      return %a"
    `);
  });

  it("leaves functional programs alone", () => {
    const before = program(`user_input %x: f32[3]
      %a: f32[3] = aten::relu(%x)
      return %a`);
    expect(makeFunctional(before, cpu())).toBe(before);
  });

  it("keeps in-place ops that a handler takes", () => {
    const before = program(`user_input %x: f32[3]
      %a: f32[3] = aten::relu_(%x)
      return %a`);
    expect(hasClaimedWrites(before, cpu())).toBe(false);
    expect(hasClaimedWrites(before, cpu([], ["aten::relu_"]))).toBe(true);
  });
});
