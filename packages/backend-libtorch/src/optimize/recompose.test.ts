import { canonicalize, recompose } from "@pt2/engine/rewrites";
import { describe, expect, it } from "vitest";
import { dropCopies } from "./drop-copies.ts";
import { fuseAttention } from "./fuse-attention.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const target = cpu(["pt2::attention"]);

/** As `run_decompositions()` writes scaled_dot_product_attention(q, k, v, mask). */
const ATTENTION = `user_input %q: f32[2, 3, 5, 4]
  user_input %k: f32[2, 3, 7, 4]
  user_input %v: f32[2, 3, 7, 4]
  user_input %mask: f32[5, 7]
  %qs: f32[2, 3, 5, 4] = aten::mul.Scalar(%q, other=0.5)
  %t: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::permute(%k, dims=[0, 1, 3, 2])
  %ks: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::mul.Scalar(%t, other=0.5)
  %q1: f32[6, 5, 4] = aten::view(%qs, size=[6, 5, 4])
  %kc: f32[2, 3, 4, 7] = aten::clone(%ks, memory_format=torch.contiguous_format)
  %k1: f32[6, 4, 7] = aten::view(%kc, size=[6, 4, 7])
  %s: f32[6, 5, 7] = aten::bmm(%q1, mat2=%k1)
  %s1: f32[2, 3, 5, 7] = aten::view(%s, size=[2, 3, 5, 7])
  %s2: f32[2, 3, 5, 7] = aten::add.Tensor(%s1, other=%mask)
  %p: f32[2, 3, 5, 7] = aten::_softmax(%s2, dim=-1, half_to_float=false)
  %eq: bool[2, 3, 5, 7] = aten::eq.Scalar(%s2, other=-inf)
  %some: bool[2, 3, 5, 7] = aten::logical_not(%eq)
  %any: bool[2, 3, 5, 1] = aten::any.dim(%some, dim=-1, keepdim=true)
  %none: bool[2, 3, 5, 1] = aten::logical_not(%any)
  %zeros: f32[2, 3, 5, 7] = aten::full_like(%p, fill_value=0)
  %safe: f32[2, 3, 5, 7] = aten::where.self(condition=%none, self=%zeros, other=%p)
  %p1: f32[6, 5, 7] = aten::view(%safe, size=[6, 5, 7])
  %v1: f32[6, 7, 4] = aten::view(%v, size=[6, 7, 4])
  %y: f32[6, 5, 4] = aten::bmm(%p1, mat2=%v1)
  %y1: f32[2, 3, 5, 4] = aten::view(%y, size=[2, 3, 5, 4])`;

describe("recompose", () => {
  const recomposed = (body: string) => recompose(canonicalize(dropCopies(program(body), target), target), target);

  it("finds attention", () => {
    const result = recomposed(`${ATTENTION}\n  return %y1`);
    expect(text(result)).toMatchInlineSnapshot(`
      "user_input %q: f32[2, 3, 5, 4]
      user_input %k: f32[2, 3, 7, 4]
      user_input %v: f32[2, 3, 7, 4]
      user_input %mask: f32[5, 7]
      %mul: f32[2, 3, 5, 4] = aten::mul.Tensor(%q, other=0.5)
      %t: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::permute(%k, dims=[0, 1, 3, 2])
      %mul_1: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::mul.Tensor(%t, other=0.5)
      %matmul: f32[2, 3, 5, 7] = aten::matmul(%mul, other=%mul_1)
      %s2: f32[2, 3, 5, 7] = aten::add.Tensor(%matmul, other=%mask)
      %safe_softmax: f32[2, 3, 5, 7] = aten::_safe_softmax(%s2, dim=-1)
      %matmul_1: f32[2, 3, 5, 4] = aten::matmul(%safe_softmax, other=%v)
      return %matmul_1"
    `);
    expect(text(fuseAttention(result, target))).toMatchInlineSnapshot(`
      "user_input %q: f32[2, 3, 5, 4]
      user_input %k: f32[2, 3, 7, 4]
      user_input %v: f32[2, 3, 7, 4]
      user_input %mask: f32[5, 7]
      %t: f32[2, 3, 4, 7]{strides=[84, 28, 1, 4]} = aten::permute(%k, dims=[0, 1, 3, 2])
      %transpose: f32[2, 3, 7, 4] = aten::transpose.int(%t, dim0=-2, dim1=-1)
      %attention: f32[2, 3, 5, 4] = pt2::attention(q=%q, k=%transpose, v=%v, mask=%mask, is_causal=false, scale=0.25)
      return %attention"
    `);
  });

  it("keeps a softmax whose masked rows are not zeros", () => {
    const body = ATTENTION.replace("other=-inf", "other=-1000.0");
    const kept = recomposed(`${body}\n  return %y1`);
    expect(text(kept)).toContain("aten::where.self");
    expect(text(fuseAttention(kept, target))).not.toContain("pt2::attention");
  });
});
