import { describe, expect, it } from "vitest";
import { fuseAttention } from "./fuse-attention.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const own = cpu(["pt2::attention"]);
const INPUTS = `user_input %q: f32[4, 2, 9, 8]
  user_input %k: f32[4, 2, 9, 8]
  user_input %v: f32[4, 2, 9, 8]`;

describe("fuseAttention", () => {
  it("takes attention by its name", () => {
    const before = program(`${INPUTS}
      user_input %m: bool[9, 9]
      %y: f32[4, 2, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, attn_mask=%m, scale=0.5)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[4, 2, 9, 8]
      user_input %k: f32[4, 2, 9, 8]
      user_input %v: f32[4, 2, 9, 8]
      user_input %m: bool[9, 9]
      %attention: f32[4, 2, 9, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=%m, is_causal=false, scale=0.5, safe_softmax=true, mask_fills=false)
      return %attention"
    `);
  });

  it("takes attention that is written out, with masks in other shapes", () => {
    const before = program(`parameter "bias" = %bias: f32[1, 2, 9, 9]
      parameter "windows" = %windows: f32[1, 4, 1, 9, 9]
      ${INPUTS}
      %scaled: f32[4, 2, 9, 8] = aten::mul.Tensor(%q, other=0.25)
      %t: f32[4, 2, 8, 9] = aten::transpose.int(%k, dim0=-2, dim1=-1)
      %s: f32[4, 2, 9, 9] = aten::matmul(%scaled, other=%t)
      %a: f32[4, 2, 9, 9] = aten::add.Tensor(%s, other=%bias)
      %f: f32[1, 4, 2, 9, 9] = aten::reshape(%a, shape=[1, 4, 2, 9, 9])
      %b: f32[1, 4, 2, 9, 9] = aten::add.Tensor(%f, other=%windows)
      %g: f32[4, 2, 9, 9] = aten::reshape(%b, shape=[-1, 2, 9, 9])
      %p: f32[4, 2, 9, 9] = aten::softmax.int(%g, dim=-1)
      %y: f32[4, 2, 9, 8] = aten::matmul(%p, other=%v)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "parameter "bias" = %bias: f32[1, 2, 9, 9]
      parameter "windows" = %windows: f32[1, 4, 1, 9, 9]
      user_input %q: f32[4, 2, 9, 8]
      user_input %k: f32[4, 2, 9, 8]
      user_input %v: f32[4, 2, 9, 8]
      %expand: f32[1, 4, 2, 9, 9] = aten::expand(%windows, size=[1, 4, 2, 9, 9])
      %reshape: f32[4, 2, 9, 9] = aten::reshape(%expand, shape=[4, 2, 9, 9])
      %add: f32[4, 2, 9, 9] = aten::add.Tensor(%reshape, other=%bias)
      %attention: f32[4, 2, 9, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=%add, is_causal=false, scale=0.25, safe_softmax=false, mask_fills=false)
      return %attention"
    `);
  });

  it("takes attention of any batch and length, with a mask of the scores' shape", () => {
    const before = program(`user_input %q: f32[s0, 2, s1, 8]
      user_input %k: f32[s0, 2, s2, 8]
      user_input %v: f32[s0, 2, s2, 8]
      user_input %m: f32[s0, 1, 1, s2]
      %t: f32[s0, 2, 8, s2] = aten::transpose.int(%k, dim0=2, dim1=3)
      %s: f32[s0, 2, s1, s2] = aten::matmul(%q, other=%t)
      %d: f32[s0, 2, s1, s2] = aten::div.Tensor(%s, other=4.0)
      %a: f32[s0, 2, s1, s2] = aten::add.Tensor(%d, other=%m)
      %p: f32[s0, 2, s1, s2] = aten::_safe_softmax(%a, dim=-1)
      %y: f32[s0, 2, s1, 8] = aten::matmul(%p, other=%v)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[s0, 2, s1, 8]
      user_input %k: f32[s0, 2, s2, 8]
      user_input %v: f32[s0, 2, s2, 8]
      user_input %m: f32[s0, 1, 1, s2]
      %attention: f32[s0, 2, s1, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=%m, is_causal=false, scale=0.25, safe_softmax=true, mask_fills=false)
      return %attention"
    `);
  });

  it("gives attention over three dimensions one head", () => {
    const before = program(`user_input %q: f32[s0, 9, 8]
      user_input %k: f32[s0, 8, 7]
      user_input %v: f32[s0, 7, 6]
      user_input %m: f32[s0, 1, 7]
      %s: f32[s0, 9, 7] = aten::bmm(%q, mat2=%k)
      %a: f32[s0, 9, 7] = aten::add.Tensor(%s, other=%m)
      %p: f32[s0, 9, 7] = aten::softmax.int(%a, dim=2, dtype=torch.float32)
      %y: f32[s0, 9, 6] = aten::bmm(%p, mat2=%v)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[s0, 9, 8]
      user_input %k: f32[s0, 8, 7]
      user_input %v: f32[s0, 7, 6]
      user_input %m: f32[s0, 1, 7]
      %transpose: f32[s0, 7, 8]{strides=[56, 1, 7]} = aten::transpose.int(%k, dim0=-2, dim1=-1)
      %unsqueeze: f32[s0, 1, 9, 8] = aten::unsqueeze(%q, dim=1)
      %unsqueeze_1: f32[s0, 1, 7, 8] = aten::unsqueeze(%transpose, dim=1)
      %unsqueeze_2: f32[s0, 1, 7, 6] = aten::unsqueeze(%v, dim=1)
      %unsqueeze_3: f32[s0, 1, 1, 7] = aten::unsqueeze(%m, dim=1)
      %attention: f32[s0, 1, 9, 6] = pt2::attention(q=%unsqueeze, k=%unsqueeze_1, v=%unsqueeze_2, mask=%unsqueeze_3, is_causal=false, scale=1.0, safe_softmax=false, mask_fills=false)
      %squeeze: f32[s0, 9, 6] = aten::squeeze.dim(%attention, dim=1)
      return %squeeze"
    `);
  });

  it("takes attention that is written as its transpose", () => {
    const before = program(`user_input %q: f32[2, 9, 8]
      user_input %k: f32[2, 8, 7]
      user_input %v: f32[2, 6, 7]
      %s: f32[2, 9, 7] = aten::bmm(%q, mat2=%k)
      %p: f32[2, 9, 7] = aten::softmax.int(%s, dim=-1)
      %t: f32[2, 7, 9] = aten::permute(%p, dims=[0, 2, 1])
      %y: f32[2, 6, 9] = aten::bmm(%v, mat2=%t)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[2, 9, 8]
      user_input %k: f32[2, 8, 7]
      user_input %v: f32[2, 6, 7]
      %transpose: f32[2, 7, 8]{strides=[56, 1, 7]} = aten::transpose.int(%k, dim0=-2, dim1=-1)
      %transpose_1: f32[2, 7, 6]{strides=[42, 1, 7]} = aten::transpose.int(%v, dim0=-2, dim1=-1)
      %unsqueeze: f32[2, 1, 9, 8] = aten::unsqueeze(%q, dim=1)
      %unsqueeze_1: f32[2, 1, 7, 8] = aten::unsqueeze(%transpose, dim=1)
      %unsqueeze_2: f32[2, 1, 7, 6] = aten::unsqueeze(%transpose_1, dim=1)
      %attention: f32[2, 1, 9, 6] = pt2::attention(q=%unsqueeze, k=%unsqueeze_1, v=%unsqueeze_2, mask=none, is_causal=false, scale=1.0, safe_softmax=false, mask_fills=false)
      %squeeze: f32[2, 9, 6]{strides=[54, 1, 9]} = aten::squeeze.dim(%attention, dim=1)
      %transpose_2: f32[2, 6, 9] = aten::transpose.int(%squeeze, dim0=-2, dim1=-1)
      return %transpose_2"
    `);
  });

  it("takes scores that are filled with -inf where a mask says so, and nothing is added to", () => {
    const filled = (value: string, more = ""): ReturnType<typeof program> =>
      program(`parameter "mask" = %m: bool[1, 1, 9, 9]
        ${INPUTS}
        %t: f32[4, 2, 8, 9] = aten::transpose.int(%k, dim0=-2, dim1=-1)
        %a: f32[4, 2, 9, 9] = aten::matmul(%q, other=%t)
        %s: f32[4, 2, 9, 9] = aten::masked_fill.Scalar(%a, mask=%m, value=${value})
        ${more}
        %p: f32[4, 2, 9, 9] = aten::softmax.int(${more === "" ? "%s" : "%b"}, dim=-1)
        %y: f32[4, 2, 9, 8] = aten::matmul(%p, other=%v)
        return %y`);
    expect(text(fuseAttention(filled("-inf"), own))).toMatchInlineSnapshot(`
      "parameter "mask" = %m: bool[1, 1, 9, 9]
      user_input %q: f32[4, 2, 9, 8]
      user_input %k: f32[4, 2, 9, 8]
      user_input %v: f32[4, 2, 9, 8]
      %zeros_like: f32[1, 1, 9, 9] = aten::zeros_like(%m, dtype=torch.float32)
      %masked_fill: f32[1, 1, 9, 9] = aten::masked_fill.Scalar(%zeros_like, mask=%m, value=-inf)
      %attention: f32[4, 2, 9, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=%masked_fill, is_causal=false, scale=1.0, safe_softmax=false, mask_fills=true)
      return %attention"
    `);
    for (const other of [filled("-1000.0"), filled("-inf", "%b: f32[4, 2, 9, 9] = aten::add.Tensor(%s, other=%a)")]) {
      expect(fuseAttention(other, own)).toBe(other);
    }
  });

  it("takes attention of one head by its name", () => {
    const before = program(`user_input %q: f32[s0, 9, 8]
      user_input %k: f32[s0, 7, 8]
      user_input %m: bool[s0, 9, 7]
      %y: f32[s0, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%k, attn_mask=%m, is_causal=false)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[s0, 9, 8]
      user_input %k: f32[s0, 7, 8]
      user_input %m: bool[s0, 9, 7]
      %unsqueeze: f32[s0, 1, 9, 8] = aten::unsqueeze(%q, dim=1)
      %unsqueeze_1: f32[s0, 1, 7, 8] = aten::unsqueeze(%k, dim=1)
      %unsqueeze_2: f32[s0, 1, 7, 8] = aten::unsqueeze(%k, dim=1)
      %unsqueeze_3: bool[s0, 1, 9, 7] = aten::unsqueeze(%m, dim=1)
      %attention: f32[s0, 1, 9, 8] = pt2::attention(q=%unsqueeze, k=%unsqueeze_1, v=%unsqueeze_2, mask=%unsqueeze_3, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %squeeze: f32[s0, 9, 8] = aten::squeeze.dim(%attention, dim=1)
      return %squeeze"
    `);
  });

  it("makes one of what lies before the heads: windows, blocks and groups", () => {
    const before = program(`user_input %q: f32[s0, 5, 3, 9, 8]
      user_input %k: f32[s0, 5, 3, 7, 8]
      user_input %v: f32[s0, 5, 3, 7, 6]
      user_input %m: f32[3, 9, 7]
      %y: f32[s0, 5, 3, 9, 6] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, attn_mask=%m)
      return %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[s0, 5, 3, 9, 8]
      user_input %k: f32[s0, 5, 3, 7, 8]
      user_input %v: f32[s0, 5, 3, 7, 6]
      user_input %m: f32[3, 9, 7]
      %flatten: f32[5*s0, 3, 9, 8] = aten::flatten.using_ints(%q, start_dim=0, end_dim=1)
      %flatten_1: f32[5*s0, 3, 7, 8] = aten::flatten.using_ints(%k, start_dim=0, end_dim=1)
      %flatten_2: f32[5*s0, 3, 7, 6] = aten::flatten.using_ints(%v, start_dim=0, end_dim=1)
      %attention: f32[5*s0, 3, 9, 6] = pt2::attention(q=%flatten, k=%flatten_1, v=%flatten_2, mask=%m, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %unflatten: f32[s0, 5, 3, 9, 6] = aten::unflatten.int(%attention, dim=0, sizes=[-1, 5])
      return %unflatten"
    `);
  });

  it.each([
    ["a mask that is broadcast over windows", "2, 5", "2, 1, 3, 9, 9"],
    ["a mask of each window, for all of a batch", "2, 5", "5, 3, 9, 9"],
    ["two sizes before the heads that are not known", "s0, s1", "9, 9"],
  ])("leaves %s", (_, lead, mask) => {
    const before = program(`user_input %q: f32[${lead}, 3, 9, 8]
      user_input %m: f32[${mask}]
      %y: f32[${lead}, 3, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%q, value=%q, attn_mask=%m)
      return %y`);
    expect(text(fuseAttention(before, own))).not.toContain("pt2::attention");
  });

  it.each([
    ["a softmax of another dimension", "aten::softmax.int(%s, dim=1)", "f32[2, 9, 9]"],
    ["a softmax in another dtype", "aten::softmax.int(%s, dim=-1, dtype=torch.float64)", "f64[2, 9, 9]"],
  ])("leaves %s", (_, softmax, type) => {
    const before = program(`user_input %q: f32[2, 9, 8]
      user_input %k: f32[2, 8, 9]
      user_input %v: ${type}
      %s: f32[2, 9, 9] = aten::bmm(%q, mat2=%k)
      %p: ${type} = ${softmax}
      %y: ${type} = aten::bmm(%p, mat2=%v)
      return %y`);
    expect(fuseAttention(before, own)).toBe(before);
  });

  it("leaves batches that are not known to be the same", () => {
    const before = program(`user_input %q: f32[s0, 2, 9, 8]
      user_input %k: f32[s1, 2, 8, 9]
      user_input %v: f32[s1, 2, 9, 8]
      %s: f32[s0, 2, 9, 9] = aten::matmul(%q, other=%k)
      %p: f32[s0, 2, 9, 9] = aten::softmax.int(%s, dim=-1)
      %y: f32[s0, 2, 9, 8] = aten::matmul(%p, other=%v)
      return %y`);
    expect(text(fuseAttention(before, own))).not.toContain("pt2::attention");
  });

  it("lets heads of queries share those of keys and values, which it finds before they were repeated", () => {
    const before = program(`user_input %q: f32[4, 6, 9, 8]
      user_input %k: f32[4, 2, 9, 8]
      user_input %v: f32[4, 2, 9, 8]
      %k1: f32[4, 6, 9, 8] = aten::repeat_interleave.self_int(%k, repeats=3, dim=1)
      %v1: f32[4, 6, 9, 8] = aten::repeat_interleave.self_int(%v, repeats=3, dim=1)
      %a: f32[4, 6, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%k1, value=%v1)
      %b: f32[4, 6, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, enable_gqa=true)
      %t: f32[4, 6, 8, 9] = aten::transpose.int(%k1, dim0=-2, dim1=-1)
      %s: f32[4, 6, 9, 9] = aten::matmul(%q, other=%t)
      %p: f32[4, 6, 9, 9] = aten::softmax.int(%s, dim=-1)
      %y: f32[4, 6, 9, 8] = aten::matmul(%p, other=%v1)
      return %a, %b, %y`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[4, 6, 9, 8]
      user_input %k: f32[4, 2, 9, 8]
      user_input %v: f32[4, 2, 9, 8]
      %attention: f32[4, 6, 9, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %attention_1: f32[4, 6, 9, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %attention_2: f32[4, 6, 9, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=none, is_causal=false, scale=1.0, safe_softmax=false, mask_fills=false)
      return %attention, %attention_1, %attention_2"
    `);
  });

  it("reads keys and values in half precision as they are, where both are", () => {
    const before = program(`user_input %q: f32[4, 6, 1, 8]
      user_input %k: bf16[4, 2, 9, 8]
      user_input %v: bf16[4, 2, 9, 8]
      user_input %h: f16[4, 6, 9, 8]
      %ku: bf16[4, 2, 1, 9, 8] = aten::unsqueeze(%k, dim=2)
      %ke: bf16[4, 2, 3, 9, 8] = aten::expand(%ku, size=[4, 2, 3, 9, 8])
      %k1: bf16[4, 6, 9, 8] = aten::reshape(%ke, shape=[4, 6, 9, 8])
      %k2: f32[4, 6, 9, 8] = aten::to.dtype(%k1, dtype=torch.float32)
      %v1: bf16[4, 6, 9, 8] = aten::repeat_interleave.self_int(%v, repeats=3, dim=1)
      %v2: f32[4, 6, 9, 8] = aten::to.dtype(%v1, dtype=torch.float32)
      %a: f32[4, 6, 1, 8] = aten::scaled_dot_product_attention(query=%q, key=%k2, value=%v2)
      %kf: f32[4, 2, 9, 8] = aten::to.dtype(%k, dtype=torch.float32)
      %kr: f32[4, 6, 9, 8] = aten::repeat_interleave.self_int(%kf, repeats=3, dim=1)
      %vf: f32[4, 2, 9, 8] = aten::to.dtype(%v, dtype=torch.float32)
      %vr: f32[4, 6, 9, 8] = aten::repeat_interleave.self_int(%vf, repeats=3, dim=1)
      %b: f32[4, 6, 1, 8] = aten::scaled_dot_product_attention(query=%q, key=%kr, value=%vr)
      %h2: f32[4, 6, 9, 8] = aten::to.dtype(%h, dtype=torch.float32)
      %c: f32[4, 6, 1, 8] = aten::scaled_dot_product_attention(query=%q, key=%h2, value=%v2)
      return %a, %b, %c`);
    expect(text(fuseAttention(before, own))).toMatchInlineSnapshot(`
      "user_input %q: f32[4, 6, 1, 8]
      user_input %k: bf16[4, 2, 9, 8]
      user_input %v: bf16[4, 2, 9, 8]
      user_input %h: f16[4, 6, 9, 8]
      %v1: bf16[4, 6, 9, 8] = aten::repeat_interleave.self_int(%v, repeats=3, dim=1)
      %v2: f32[4, 6, 9, 8] = aten::to.dtype(%v1, dtype=torch.float32)
      %attention: f32[4, 6, 1, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %attention_1: f32[4, 6, 1, 8] = pt2::attention(q=%q, k=%k, v=%v, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      %h2: f32[4, 6, 9, 8] = aten::to.dtype(%h, dtype=torch.float32)
      %attention_2: f32[4, 6, 1, 8] = pt2::attention(q=%q, k=%h2, v=%v2, mask=none, is_causal=false, scale=none, safe_softmax=true, mask_fills=false)
      return %attention, %attention_1, %attention_2"
    `);
  });

  it("keeps dropout, groups of heads that do not fit, and weights that are read elsewhere", () => {
    const before = program(`${INPUTS}
      user_input %three: f32[4, 3, 9, 8]
      %a: f32[4, 2, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, attn_mask=none, dropout_p=0.1)
      %b: f32[4, 2, 9, 8] = aten::scaled_dot_product_attention(query=%q, key=%three, value=%three, enable_gqa=true)
      %t: f32[4, 2, 8, 9] = aten::transpose.int(%k, dim0=-2, dim1=-1)
      %s: f32[4, 2, 9, 9] = aten::matmul(%q, other=%t)
      %p: f32[4, 2, 9, 9] = aten::softmax.int(%s, dim=-1)
      %y: f32[4, 2, 9, 8] = aten::matmul(%p, other=%v)
      return %a, %b, %y, %p`);
    expect(fuseAttention(before, own)).toBe(before);
  });
});
