import { describe, expect, it } from "vitest";
import { cpu, program, text } from "./passes.test-helper.ts";
import { restoreLayouts } from "./restore-layouts.ts";

const conv = `%c: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")`;
const INPUTS = `parameter "k" = %k: f32[6, 6, 1, 1]
  user_input %x: f32[1, 6, 8, 8]`;

describe("restoreLayouts", () => {
  it("gives results the layout of the file", () => {
    const before = program(`${INPUTS}
      ${conv}
      %r: f32[1, 6, 8, 8] = aten::relu(%c)
      return %r, %r, %x`);
    expect(text(restoreLayouts(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 1, 1]
      user_input %x: f32[1, 6, 8, 8]
      %c: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      %r: f32[1, 6, 8, 8] = aten::relu(%c)
      %r_restored: f32[1, 6, 8, 8] = aten::contiguous(%r)
      return %r_restored, %r_restored, %x"
    `);
  });

  it("does so for attention, whose heads lie side by side", () => {
    const before = program(`user_input %q: f32[2, 3, 9, 8]
      %a: f32[2, 3, 9, 8] = pt2::attention(q=%q, k=%q, v=%q, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %s: f32[4] = aten::as_strided(%a, size=[4], stride=[2])
      return %s`);
    expect(text(restoreLayouts(before, cpu()))).toMatchInlineSnapshot(`
      "user_input %q: f32[2, 3, 9, 8]
      %a: f32[2, 3, 9, 8] = pt2::attention(q=%q, k=%q, v=%q, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %a_restored: f32[2, 3, 9, 8] = aten::contiguous(%a)
      %s: f32[4] = aten::as_strided(%a_restored, size=[4], stride=[2])
      return %s"
    `);
  });

  it("gives them the order of dimensions that it says", () => {
    const before = program(`${INPUTS}
      ${conv}
      %p: f32[1, 8, 8, 6]{strides=[384, 8, 1, 64]} = aten::permute(%c, dims=[0, 2, 3, 1])
      %o: f32[384] = custom::op(%p)
      return %o`);
    expect(text(restoreLayouts(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 1, 1]
      user_input %x: f32[1, 6, 8, 8]
      %c: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      %p: f32[1, 8, 8, 6]{strides=[384, 8, 1, 64]} = aten::permute(%c, dims=[0, 2, 3, 1])
      %p_restored: f32[1, 6, 8, 8] = aten::permute(%p, dims=[0, 3, 1, 2])
      %p_restored_1: f32[1, 6, 8, 8] = aten::contiguous(%p_restored)
      %p_restored_2: f32[1, 8, 8, 6]{strides=[384, 8, 1, 64]} = aten::permute(%p_restored_1, dims=[0, 2, 3, 1])
      %o: f32[384] = custom::op(%p_restored_2)
      return %o"
    `);
  });

  it("does so before what looks at strides", () => {
    const before = program(`${INPUTS}
      ${conv}
      %s: f32[4] = aten::as_strided(%c, size=[4], stride=[2])
      %o: f32[4] = custom::op(%c, other=%s)
      %n: f32[1] = aten::sum(%o)
      return %n`);
    expect(text(restoreLayouts(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 1, 1]
      user_input %x: f32[1, 6, 8, 8]
      %c: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      %c_restored: f32[1, 6, 8, 8] = aten::contiguous(%c)
      %s: f32[4] = aten::as_strided(%c_restored, size=[4], stride=[2])
      %o: f32[4] = custom::op(%c_restored, other=%s)
      %n: f32[1] = aten::sum(%o)
      return %n"
    `);
  });
});
