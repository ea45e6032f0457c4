import { describe, expect, it } from "vitest";
import { fusePreactivations } from "./fuse-preactivation.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const own = cpu(["pt2::conv1x1", "pt2::preactivated_conv1x1"]);

const network = (residual: string, results: string, size = 8): string => `
  parameter "w" = %w: f32[1, 8, 16]
  parameter "s" = %s: f32[${size}]
  parameter "t" = %t: f32[${size}]
  user_input %x: f32[1, 8, 4, 4]
  %scale: f32[${size}, 1, 1] = aten::reshape(%s, shape=[${size}, 1, 1])
  %shift: f32[${size}, 1, 1] = aten::reshape(%t, shape=[${size}, 1, 1])
  %a: f32[1, 8, 4, 4] = aten::mul.Tensor(%x, other=%scale)
  %b: f32[1, 8, 4, 4] = aten::add.Tensor(%a, other=%shift)
  %c: f32[1, 8, 4, 4] = aten::relu(%b)
  %y: f32[1, 16, 4, 4] = pt2::conv1x1(x=%c, weight=%w, out_channels=16, bias=none, residual=${residual}, attr="relu", scalars=[], algorithm="")
  return ${results}`;

describe("fusePreactivations", () => {
  it("applies factors, offsets and relu in the convolution that reads them", () => {
    expect(text(fusePreactivations(program(network("none", "%y")), own))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[1, 8, 16]
      parameter "s" = %s: f32[8]
      parameter "t" = %t: f32[8]
      user_input %x: f32[1, 8, 4, 4]
      %preactivated_conv1x1: f32[1, 16, 4, 4] = pt2::preactivated_conv1x1(x=[%x], scale=%s, shift=%t, weight=%w, out_channels=16, bias=none, attr="relu", scalars=[], algorithm="")
      return %preactivated_conv1x1"
    `);
  });

  it("reads the tensors that are put together for it alone, instead of the whole", () => {
    const whole = (cat: string, results = "%y", second = "f32[1, 5, 4, 4]"): string =>
      network("none", results).replace(
        "user_input %x: f32[1, 8, 4, 4]",
        `user_input %p: f32[1, 3, 4, 4]
  user_input %q: ${second}
  %x: f32[1, 8, 4, 4] = ${cat}`,
      );
    const fused = (body: string): string | undefined =>
      text(fusePreactivations(program(body), own)).match(/preactivated_conv1x1\(x=(.*?\])/)?.[1];
    expect(fused(whole("pt2::cat(tensors=[%p, %q], dim=1)"))).toBe("[%p, %q]");
    expect(fused(whole("aten::cat(tensors=[%p, %q], dim=-3)"))).toBe("[%p, %q]");
    expect(fused(whole("pt2::cat(tensors=[%p, %q], dim=2)"))).toBe("[%x]");
    expect(fused(whole("pt2::cat(tensors=[%p, %q], dim=1)", "%y, %x"))).toBe("[%x]");
    expect(fused(whole("pt2::cat(tensors=[%p, %q], dim=1)", "%y", "f16[1, 5, 4, 4]"))).toBe("[%x]");
    expect(fused(whole("pt2::cat(tensors=[%p, %q], dim=1)", "%y", "f32[0]"))).toBe("[%x]");
  });

  it.each([
    ["others read, too", network("none", "%y, %c")],
    ["a convolution adds to", network("%x", "%y")],
    ["is one number for all channels", network("none", "%y", 1)],
  ])("leaves what %s", (_, body) => {
    const before = program(body);
    expect(fusePreactivations(before, own)).toBe(before);
  });

  it("leaves everything where there is no such kernel", () => {
    const before = program(network("none", "%y"));
    expect(fusePreactivations(before, cpu())).toBe(before);
  });
});
