import { describe, expect, it } from "vitest";
import { fuseEpilogues } from "./fuse-epilogues.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const conv = (name: string, input: string): string =>
  `%${name}: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=${input}, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")`;
const INPUTS = `parameter "k" = %k: f32[6, 6, 1, 1]
  user_input %x: f32[1, 6, 8, 8]`;

describe("fuseEpilogues", () => {
  it("applies activations where the value is made", () => {
    const before = program(`${INPUTS}
      ${conv("a", "%x")}
      %r: f32[1, 6, 8, 8] = aten::hardtanh(%a, min_val=0, max_val=6)
      ${conv("b", "%r")}
      %g: f32[1, 6, 8, 8] = aten::gelu(%b, approximate="tanh")
      return %g`);
    expect(text(fuseEpilogues(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 1, 1]
      user_input %x: f32[1, 6, 8, 8]
      %a: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      %hardtanh_: f32[1, 6, 8, 8] = aten::hardtanh_(%a, min_val=0, max_val=6)
      %convolution_pointwise: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%hardtanh_, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="gelu", scalars=[], algorithm="tanh")
      return %convolution_pointwise"
    `);
  });

  it("says which nodes it joined, and those that joined before", () => {
    const before = program(`${INPUTS}
      ${conv("a", "%x")}
      %s: f32[1, 6, 8, 8] = aten::add.Tensor(%x, other=%a)
      %r: f32[1, 6, 8, 8] = aten::relu(%s)
      ${conv("kept", "%r")}
      %t: f32[1, 6, 8, 8] = aten::tanh(%kept)
      return %t, %kept`);
    const { nodes } = fuseEpilogues(fuseEpilogues(before, cpu()), cpu()).graph;
    expect(nodes.map(({ op, origin }) => [op, origin.joined?.map(({ name }) => name)])).toEqual([
      ["mkldnn::_convolution_pointwise.binary", ["a", "s"]],
      ["aten::relu_", ["r"]],
      ["mkldnn::_convolution_pointwise", undefined],
      ["aten::tanh", undefined],
    ]);
  });

  it("adds residuals, and applies relu in their memory, since that of oneDNN loses NaN", () => {
    const before = program(`${INPUTS}
      ${conv("a", "%x")}
      %s: f32[1, 6, 8, 8] = aten::add.Tensor(%x, other=%a)
      %r: f32[1, 6, 8, 8] = aten::relu(%s)
      return %r`);
    expect(text(fuseEpilogues(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 1, 1]
      user_input %x: f32[1, 6, 8, 8]
      %convolution_pointwise: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise.binary(X=%x, other=%x, W=%k, B=none, padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1, binary_attr="add", alpha=none, unary_attr=none, unary_scalars=[], unary_algorithm=none)
      %relu_: f32[1, 6, 8, 8] = aten::relu_(%convolution_pointwise)
      return %relu_"
    `);
  });

  it("adds residuals to our own products", () => {
    const before = program(`parameter "w" = %w: f32[4, 4]
      user_input %x: f32[2, 4]
      %l: f32[2, 4] = pt2::linear(x=%x, weight=%w, out_features=4, bias=none, residual=none, attr="none", scalars=[], algorithm="")
      %y: f32[2, 4] = aten::add.Tensor(%l, other=%x)
      %z: f32[2, 4] = aten::relu(%y)
      return %z`);
    expect(text(fuseEpilogues(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[4, 4]
      user_input %x: f32[2, 4]
      %linear_1: f32[2, 4] = pt2::linear(x=%x, weight=%w, out_features=4, bias=none, residual=%x, attr="relu", scalars=[], algorithm="")
      return %linear_1"
    `);
  });

  it("adds residuals that come in another order of dimensions", () => {
    const before = program(`parameter "w" = %w: f32[6, 4]
      user_input %x: f32[1, 8, 8, 4]
      user_input %r: f32[1, 6, 8, 8]
      %l: f32[1, 8, 8, 6] = pt2::linear(x=%x, weight=%w, out_features=6, bias=none, residual=none, attr="none", scalars=[], algorithm="")
      %p: f32[1, 6, 8, 8]{strides=[384, 1, 48, 6]} = aten::permute(%l, dims=[0, 3, 1, 2])
      %y: f32[1, 6, 8, 8]{strides=[384, 1, 48, 6]} = aten::add.Tensor(%p, other=%r)
      return %y`);
    expect(text(fuseEpilogues(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[6, 4]
      user_input %x: f32[1, 8, 8, 4]
      user_input %r: f32[1, 6, 8, 8]
      %permute: f32[1, 8, 8, 6] = aten::permute(%r, dims=[0, 2, 3, 1])
      %linear: f32[1, 8, 8, 6] = pt2::linear(x=%x, weight=%w, out_features=6, bias=none, residual=%permute, attr="none", scalars=[], algorithm="")
      %permute_1: f32[1, 6, 8, 8]{strides=[384, 1, 48, 6]} = aten::permute(%linear, dims=[0, 3, 1, 2])
      return %permute_1"
    `);
  });

  it("keeps sums that broadcast, scale, or whose parts are read elsewhere", () => {
    const before = program(`${INPUTS}
      user_input %one: f32[1, 6, 1, 1]
      ${conv("a", "%x")}
      %s: f32[1, 6, 8, 8] = aten::add.Tensor(%a, other=%one)
      ${conv("b", "%s")}
      %t: f32[1, 6, 8, 8] = aten::add.Tensor(%b, other=%x, alpha=2)
      ${conv("c", "%t")}
      %u: f32[1, 6, 8, 8] = aten::add.Tensor(%c, other=%x)
      return %u, %c`);
    expect(fuseEpilogues(before, cpu())).toBe(before);
  });
});
