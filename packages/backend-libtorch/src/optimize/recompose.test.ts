import { canonicalize, recompose } from "@pt2/engine/rewrites";
import { ATTENTION } from "@pt2/testing/decomposed-attention";
import { describe, expect, it } from "vitest";
import { dropCopies } from "./drop-copies.ts";
import { fuseAttention } from "./fuse-attention.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const target = cpu(["pt2::attention"]);

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
      %attention: f32[2, 3, 5, 4] = pt2::attention(q=%q, k=%k, v=%v, mask=%mask, is_causal=false, scale=0.25, safe_softmax=true, mask_fills=false)
      return %attention"
    `);
  });

  it("keeps a batched product whose operands a gradient reads too", () => {
    const ops = (returned: string): string =>
      text(
        recomposed(`user_input %q: f32[2, 3, 5, 4]
      user_input %k: f32[2, 3, 4, 7]
      %a: f32[6, 5, 4] = aten::reshape(%q, shape=[6, 5, 4])
      %b: f32[6, 4, 7] = aten::reshape(%k, shape=[6, 4, 7])
      %p: f32[6, 5, 7] = aten::bmm(%a, mat2=%b)
      %y: f32[2, 3, 5, 7] = aten::reshape(%p, shape=[2, 3, 5, 7])
      return ${returned}`),
      );
    expect(ops("%y")).toContain("aten::matmul");
    expect(ops("%y, %b")).toContain("aten::bmm");
  });

  it("keeps a softmax whose masked rows are not zeros", () => {
    const body = ATTENTION.replace("other=-inf", "other=-1000.0");
    const kept = recomposed(`${body}\n  return %y1`);
    expect(text(kept)).toContain("aten::where.self");
    expect(text(fuseAttention(kept, target))).not.toContain("pt2::attention");
  });
});
