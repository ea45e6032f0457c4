import { hostTensor, type Tensor } from "@pt2/backend";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";
import { sumError } from "./sum-error.test-helper.ts";

const BARE = { attr: "none", scalars: [], algorithm: null } as const;
const PLAIN = { stride: [1, 1], padding: [0, 0], output_padding: [0, 0], dilation: [1, 1] } as const;

describeWithLibtorch("pt2::transposed_conv, against ATen's", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;
  const packed = (weight: Tensor): Tensor => one("pt2::pack_transposed_conv_weight", { weight });

  function expectClose(actual: Tensor, expected: Tensor, terms: number): void {
    expect(actual.shape).toEqual(expected.shape);
    expect(worstError(elementsOf(actual), elementsOf(expected), ABSOLUTE)).toBeLessThan(2e-5 + sumError(terms));
  }

  describe.each([
    // batch, channels, sizes, outputs, kernel, stride, padding, output padding, dilation
    [1, 100, [1, 1], 64, [4, 4], [1, 1], [0, 0], [0, 0], [1, 1]],
    [2, 33, [7, 5], 70, [4, 4], [2, 2], [1, 1], [0, 0], [1, 1]],
    [3, 16, [13, 11], 3, [4, 4], [2, 2], [1, 1], [0, 0], [1, 1]],
    [1, 24, [61, 67], 34, [2, 2], [2, 2], [0, 0], [0, 0], [1, 1]],
    [2, 5, [9, 14], 97, [3, 3], [2, 2], [1, 1], [1, 1], [1, 1]],
    // Windows that do not overlap, with gaps between them, and some that lie in the padding.
    [2, 7, [5, 6], 9, [2, 3], [5, 4], [0, 1], [2, 0], [1, 1]],
    [1, 7, [6, 5], 40, [3, 2], [4, 3], [3, 2], [3, 2], [1, 1]],
    [1, 4, [3, 4], 5, [1, 1], [3, 3], [2, 3], [2, 2], [1, 1]],
    // Dilation, which the output padding may exceed the stride for.
    [2, 11, [8, 7], 64, [3, 2], [2, 1], [2, 0], [1, 2], [2, 3]],
    [1, 13, [10, 9], 3, [5, 3], [1, 3], [4, 1], [0, 1], [1, 2]],
    // Several bands, sums in several blocks, and pixels that would share a set of the cache.
    [1, 19, [131, 97], 40, [5, 5], [2, 3], [2, 2], [1, 0], [1, 1]],
    [1, 1024, [9, 14], 64, [2, 2], [2, 2], [0, 0], [0, 0], [1, 1]],
    [2, 1500, [3, 5], 33, [3, 3], [1, 1], [1, 1], [0, 0], [1, 1]],
  ] as const)(
    "%i × %i channels at %j, to %i by %j, stride %j, padding %j, output padding %j, dilation %j",
    (n, c, sizes, outputs, kernel, stride, padding, output_padding, dilation) => {
      const terms = c * kernel[0] * kernel[1];
      const x = random([n, c, ...sizes]);
      const weight = random([c, outputs, ...kernel], 2);
      const bias = random([outputs], 3);
      const windows = { stride, padding, output_padding, dilation };
      const args = { weight: packed(weight), out_channels: outputs, kernel, bias, ...windows };
      const plain = one("aten::conv_transpose2d.input", { input: x, weight, bias, ...windows });

      it("reads any order of memory", () => {
        const last = one("aten::contiguous", { self: x, memory_format: "channels_last" });
        const wider = one("aten::cat", [[x, x], 1]);
        const some = one("aten::narrow", [wider, 1, c, c]);
        for (const input of [x, last, some])
          expectClose(one("pt2::transposed_conv", { x: input, ...args, ...BARE }), plain, terms);
      });

      it.each([
        ["relu", "aten::relu", []],
        ["leaky_relu", "aten::leaky_relu", [0.2]],
        ["tanh", "aten::tanh", []],
      ] as const)("applies %s", (attr, op, scalars) => {
        const activated = one("pt2::transposed_conv", { x, ...args, attr, scalars, algorithm: null });
        expectClose(activated, one(op, [plain, ...scalars]), terms);
      });

      it("does without a bias", () => {
        const without = one("aten::conv_transpose2d.input", { input: x, weight, ...windows });
        expectClose(one("pt2::transposed_conv", { x, ...args, bias: null, ...BARE }), without, terms);
      });
    },
  );

  it.each([
    [67, 211, 40, 16, 8, 4, 0, 1],
    [24, 97, 9, 4, 2, 1, 1, 1],
    [5, 30, 130, 3, 1, 0, 0, 2],
  ] as const)("sequences of %i × %i", (c, length, outputs, kernel, stride, padding, extra, dilation) => {
    const x = random([2, c, length]);
    const weight = random([c, outputs, kernel], 2);
    const bias = random([outputs], 3);
    const result = one("pt2::transposed_conv", {
      x,
      weight: packed(weight),
      out_channels: outputs,
      kernel: [kernel],
      bias,
      stride: [stride],
      padding: [padding],
      output_padding: [extra],
      dilation: [dilation],
      ...BARE,
    });
    const windows = { stride: [stride], padding: [padding], output_padding: [extra], dilation: [dilation] };
    expectClose(result, one("aten::conv_transpose1d", { input: x, weight, bias, ...windows }), c * kernel);
  });

  it.each([
    [1, 16, [5, 7, 6], 9, [2, 2, 2], [2, 2, 2], [0, 0, 0], [0, 0, 0], [1, 1, 1]],
    [2, 7, [4, 5, 3], 40, [4, 3, 4], [2, 1, 2], [1, 1, 1], [0, 0, 0], [1, 1, 1]],
    [2, 33, [3, 6, 5], 70, [3, 1, 2], [1, 3, 2], [2, 0, 1], [0, 2, 1], [2, 1, 2]],
  ] as const)(
    "videos of %i × %i channels at %j, to %i by %j, stride %j, padding %j, output padding %j, dilation %j",
    (n, c, sizes, outputs, kernel, stride, padding, output_padding, dilation) => {
      const x = random([n, c, ...sizes]);
      const weight = random([c, outputs, ...kernel], 2);
      const bias = random([outputs], 3);
      const windows = { stride, padding, output_padding, dilation };
      const plain = one("aten::conv_transpose3d.input", { input: x, weight, bias, ...windows });
      const args = { weight: packed(weight), out_channels: outputs, kernel, bias, ...windows };
      const last = one("aten::contiguous", { self: x, memory_format: "channels_last_3d" });
      for (const input of [x, last]) {
        const result = one("pt2::transposed_conv", { x: input, ...args, ...BARE, attr: "relu" });
        expectClose(result, one("aten::relu", [plain]), c * kernel[0] * kernel[1] * kernel[2]);
      }
    },
  );

  it("keeps NaN and infinities where they belong, also through relu", () => {
    const x = hostTensor("float32", [1, 1, 1, 3], Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, -1));
    const weight = packed(hostTensor("float32", [1, 1, 1, 1], Float32Array.of(1)));
    const args = { x, weight, out_channels: 1, kernel: [1, 1], bias: null, ...PLAIN, stride: [1, 2] };
    expect(elementsOf(one("pt2::transposed_conv", { ...args, ...BARE, attr: "relu" }))).toEqual([
      ...[Number.NaN, 0, Number.POSITIVE_INFINITY, 0, 0],
    ]);
  });

  it("refuses what does not fit", () => {
    const weight = random([6, 5, 3, 3]);
    const args = { x: random([2, 6, 4, 4]), weight: packed(weight), out_channels: 5, bias: null, ...PLAIN, ...BARE };
    const call = (changed: OpArgs): unknown => one("pt2::transposed_conv", { ...args, kernel: [3, 3], ...changed });
    expect(() => call({ kernel: [3, 2] })).toThrow("pack_transposed_conv_weight");
    expect(() => call({ weight })).toThrow("pack_transposed_conv_weight");
    expect(() => call({ x: random([2, 5, 4, 4]) })).toThrow("pack_transposed_conv_weight");
    expect(() => call({ bias: random([6]) })).toThrow("bias must have shape [5]");
    expect(() => call({ output_padding: [1, 0] })).toThrow("output_padding must be less than stride or dilation");
    expect(() => call({ padding: [3, 3] })).toThrow("an input of 4 gives an output of 0");
    expect(() => call({ x: random([2, 6, 0, 4]) })).toThrow("an input of 0 gives");
    expect(() => call({ stride: [0, 1] })).toThrow("stride must be 2 integers");
    expect(() => call({ x: random([6, 4]) })).toThrow("x must have three to five dimensions");
    expect(() => packed(random([6, 5]))).toThrow("weight must have shape [in, out, ...kernel]");
  });
});
