import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, expect, it } from "vitest";
import { groupQueries } from "./grouped-queries.ts";
import { program, target, text } from "./rewrites.test-helper.ts";
import { type WideningTarget, widenHalves } from "./widen-halves.ts";

const registry = createRegistry({ sets: [aten] });

const WEIGHTS = `parameter "w" = %w: f16[8, 4]
  parameter "u" = %u: f16[4, 8]
  parameter "odd" = %odd: f16[8, 5]
  parameter "b" = %b: f16[8]
  user_input %x: f16[3, 4]
  user_input %z: f16[3, 5]
  user_input %m: f16[8, 4]
  `;

function on(claimed: readonly string[] = []): WideningTarget {
  return {
    ...target([], claimed),
    widened: new Map([["float16", "always"] as const]),
    readsHalves: true,
    recordOf: (op: string) => registry.resolve(op),
  };
}

function widened(body: string, claimed: readonly string[] = []): string {
  return text(widenHalves(program(WEIGHTS + body), on(claimed)))
    .split("\n")
    .filter((line) => !/^(parameter|user_input)/.test(line))
    .join("\n");
}

describe("widenHalves for kernels that read weights in half precision", () => {
  it("leaves the weights of linear layers as they are", () => {
    expect(
      widened(`%y: f16[3, 8] = aten::linear(input=%x, weight=%w, bias=%b)
  return %y`),
    ).toMatchInlineSnapshot(`
      "to: %x_1: f32[3, 4] = aten::to.dtype(%x, dtype=torch.float32)
      to_1: %b_1: f32[8] = aten::to.dtype(%b, dtype=torch.float32)
      y: %y_1: f32[3, 8] = pt2::linear_half(input=%x_1, weight=%w, bias=%b_1)
      to_2: %y: f16[3, 8] = aten::to.dtype(%y_1, dtype=torch.float16)
      return %y"
    `);
  });

  it("has layers that multiply by columns read those of a transposed weight", () => {
    expect(
      widened(`%p: f16[3, 8] = aten::addmm(%b, mat1=%x, mat2=%u)
  %q: f16[3, 8] = aten::mm(%x, mat2=%u)
  %s: f16[3, 8] = aten::mul.Tensor(%p, other=%q)
  return %s`),
    ).toMatchInlineSnapshot(`
      "to: %b_1: f32[8] = aten::to.dtype(%b, dtype=torch.float32)
      to_1: %x_1: f32[3, 4] = aten::to.dtype(%x, dtype=torch.float32)
      t: %u_1: f16[8, 4]{strides=[1, 8]} = aten::t(%u)
      p: %p_1: f32[3, 8] = pt2::linear_half(input=%x_1, weight=%u_1, bias=%b_1)
      t_1: %u_2: f16[8, 4]{strides=[1, 8]} = aten::t(%u)
      q: %q_1: f32[3, 8] = pt2::linear_half(input=%x_1, weight=%u_2, bias=none)
      s: %s_1: f32[3, 8] = aten::mul.Tensor(%p_1, other=%q_1)
      to_4: %s: f16[3, 8] = aten::to.dtype(%s_1, dtype=torch.float16)
      return %s"
    `);
  });

  it("converts a weight that something else reads in float32, for that alone", () => {
    expect(
      widened(`%n: f16[8, 4] = aten::exp(%w)
  %t: f16[4, 8] = aten::t(%w)
  %y: f16[3, 8] = aten::matmul(%x, other=%t)
  return %n, %y`),
    ).toMatchInlineSnapshot(`
      "to: %w_1: f32[8, 4] = aten::to.dtype(%w, dtype=torch.float32)
      n: %n_1: f32[8, 4] = aten::exp(%w_1)
      to_1: %n: f16[8, 4] = aten::to.dtype(%n_1, dtype=torch.float16)
      %t: f16[4, 8] = aten::t(%w)
      to_2: %x_1: f32[3, 4] = aten::to.dtype(%x, dtype=torch.float32)
      t_2: %t_1: f16[8, 4]{strides=[1, 8]} = aten::t(%t)
      y: %y_1: f32[3, 8] = pt2::linear_half(input=%x_1, weight=%t_1, bias=none)
      to_3: %y: f16[3, 8] = aten::to.dtype(%y_1, dtype=torch.float16)
      return %n, %y"
    `);
  });

  it("converts weights of an odd number of columns, what is no weight, and those of a scaled product or of a user's op", () => {
    const layers = [
      "%y: f16[3, 8] = aten::linear(input=%z, weight=%odd)",
      "%y: f16[3, 8] = aten::linear(input=%x, weight=%m)",
      "%y: f16[3, 8] = aten::addmm(%b, mat1=%x, mat2=%u, beta=2)",
    ];
    for (const layer of layers) expect(widened(`${layer}\n  return %y`)).not.toContain("linear_half");
    const before = "%y: f16[3, 8] = aten::linear(input=%x, weight=%w)\n  %e: f16[3, 8] = aten::exp(%y)\n  return %e";
    expect(widened(before)).toContain("linear_half");
    expect(widened(before, ["aten::linear"])).not.toContain("linear_half");
  });
});

describe("widenHalves of what is repeated", () => {
  it("converts keys and values before each head is repeated, so that heads can share them", () => {
    const before = program(`user_input %q: f16[1, 4, 1, 8]
  user_input %k: f16[1, 2, 16, 8]
  %u: f16[1, 2, 1, 16, 8] = aten::unsqueeze(%k, dim=2)
  %e: f16[1, 2, 2, 16, 8] = aten::expand(%u, size=[1, 2, 2, 16, 8])
  %r: f16[1, 4, 16, 8] = aten::reshape(%e, shape=[1, 4, 16, 8])
  %y: f16[1, 4, 1, 8] = aten::scaled_dot_product_attention(query=%q, key=%r, value=%r)
  return %y`);
    expect(text(groupQueries(widenHalves(before, on()), on()))).toMatchInlineSnapshot(`
      "user_input %q: f16[1, 4, 1, 8]
      user_input %k: f16[1, 2, 16, 8]
      to: %k_1: f32[1, 2, 16, 8] = aten::to.dtype(%k, dtype=torch.float32)
      to_3: %q_1: f32[1, 4, 1, 8] = aten::to.dtype(%q, dtype=torch.float32)
      %scaled_dot_product_attention: f32[1, 4, 1, 8] = aten::scaled_dot_product_attention(query=%q_1, key=%k_1, value=%k_1, enable_gqa=true)
      to_4: %y: f16[1, 4, 1, 8] = aten::to.dtype(%scaled_dot_product_attention, dtype=torch.float16)
      return %y"
    `);
  });
});
