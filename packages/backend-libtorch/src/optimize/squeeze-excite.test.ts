import { describe, expect, it } from "vitest";
import { cpu, program, text } from "./passes.test-helper.ts";
import { fuseSqueezeExcite } from "./squeeze-excite.ts";

const block = (result: string): string => `parameter "r" = %r: f32[2, 6, 1, 1]
  parameter "e" = %e: f32[6, 2, 1, 1]
  parameter "b" = %b: f32[2]
  user_input %x: f32[1, 6, 8, 8]
  %mean: f32[1, 6, 1, 1] = aten::adaptive_avg_pool2d(%x, output_size=[1, 1])
  %reduced: f32[1, 2, 1, 1] = aten::conv2d(input=%mean, weight=%r, bias=%b)
  %act: f32[1, 2, 1, 1] = aten::silu(%reduced)
  %expanded: f32[1, 6, 1, 1] = aten::conv2d(input=%act, weight=%e)
  %gate: f32[1, 6, 1, 1] = aten::sigmoid(%expanded)
  %y: f32[1, 6, 8, 8] = aten::mul.Tensor(%gate, other=%x)
  return ${result}`;

describe("fuseSqueezeExcite", () => {
  it("recognizes the block", () => {
    expect(text(fuseSqueezeExcite(program(block("%y")), cpu(["pt2::squeeze_excite"])))).toMatchInlineSnapshot(`
      "parameter "r" = %r: f32[2, 6, 1, 1]
      parameter "e" = %e: f32[6, 2, 1, 1]
      parameter "b" = %b: f32[2]
      user_input %x: f32[1, 6, 8, 8]
      %reshape: f32[2, 6] = aten::reshape(%r, shape=[2, 6])
      %reshape_1: f32[6, 2] = aten::reshape(%e, shape=[6, 2])
      %t: f32[2, 6]{strides=[1, 2]} = aten::t(%reshape_1)
      %contiguous: f32[2, 6] = aten::contiguous(%t)
      %squeeze_excite: f32[1, 6, 8, 8] = pt2::squeeze_excite(x=%x, reduce=%reshape, reduce_bias=%b, expand=%contiguous, expand_bias=none, attr="swish", gate="sigmoid")
      return %squeeze_excite"
    `);
  });

  it("keeps a block whose inside is read elsewhere, and every block without the kernel", () => {
    const read = program(block("%y, %gate"));
    expect(fuseSqueezeExcite(read, cpu(["pt2::squeeze_excite"]))).toBe(read);
    const whole = program(block("%y"));
    expect(fuseSqueezeExcite(whole, cpu())).toBe(whole);
  });
});
