import { describe, expect, test } from "vitest";
import { random, testbed } from "../../kernels.test-helper.ts";
import { difference, shapeOf } from "./convolution.test-helper.ts";
import { chooseAlgorithm, planConv } from "./plan-conv.ts";
import type { ConvShape } from "./types.ts";

const bed = testbed();
const rng = random(7);

function expectClose(shape: ConvShape, options: Parameters<typeof difference>[3] = {}, limit = 1e-5): void {
  expect(difference(bed, rng, shape, options), JSON.stringify({ ...shape, ...options })).toBeLessThan(limit);
}

describe("groups of few channels", () => {
  test("groups of few channels take four and eight outputs at a time, strides, paddings and dilations", () => {
    for (let i = 0; i < 80; i++) {
      const groups = 2 + (i % 3);
      const shape = shapeOf({
        batch: 1 + rng.below(2),
        input: [1, 5 + rng.below(9), 5 + rng.below(13)],
        inChannels: groups * (1 + rng.below(7)),
        outChannels: groups * 4 * (1 + rng.below(4)),
        groups,
        kernel: [1, 1 + rng.below(4), 2 + rng.below(4)],
        stride: [1, 1 + rng.below(3), 1 + rng.below(3)],
        dilation: [1, 1 + rng.below(2), 1 + rng.below(2)],
        padding: [0, rng.below(4), rng.below(4)],
        paddingEnd: [0, 3, rng.below(4)],
      });
      expect(chooseAlgorithm(shape)).toBe("grouped");
      expectClose(shape, i % 2 ? { clamp: [-1, 1] } : { bias: false });
    }
  });

  test("a convolution takes padding wider than the input", () => {
    expectClose(shapeOf({ input: [1, 2, 2], kernel: [1, 7, 7], padding: [0, 6, 6], outChannels: 8, groups: 2 }));
  });
});

describe("depthwise", () => {
  test("a depthwise convolution of up to three channels takes neighboring pixels at a time, or strides", () => {
    for (let i = 0; i < 120; i++) {
      const channels = 1 + (i % 3);
      const stride = i % 5 === 0 ? 2 : 1;
      const shape = shapeOf({
        batch: 1 + rng.below(2),
        input: [i % 7 === 0 ? 3 : 1, 5 + rng.below(9), 5 + rng.below(40)],
        inChannels: channels,
        outChannels: channels,
        groups: channels,
        kernel: [i % 7 === 0 ? 2 : 1, 1 + rng.below(4), 1 + rng.below(5)],
        stride: [1, 1 + rng.below(3), stride],
        dilation: [1, 1 + rng.below(2), 1 + rng.below(2)],
        padding: [i % 7 === 0 ? 1 : 0, rng.below(4), rng.below(9)],
        paddingEnd: [i % 7 === 0 ? 1 : 0, 3, rng.below(4)],
      });
      // Weights that are packed in different ways must not be taken for each other.
      expect(planConv(bed, shape).algorithm).toBe(stride === 1 ? "depthwise-few" : "depthwise-scalar");
      expectClose(shape, { bias: i % 3 === 0, ...(i % 2 === 0 ? { clamp: [-0.5, 1] } : {}) });
    }
  });

  test("a depthwise convolution takes kernels, strides, paddings and dilations", () => {
    for (let i = 0; i < 120; i++) {
      const size = [3, 5, 7, 2][i % 4] as number;
      const channels = 4 + rng.below(30);
      const shape = shapeOf({
        batch: 1 + rng.below(2),
        input: [1, 5 + rng.below(9), 5 + rng.below(13)],
        inChannels: channels,
        outChannels: channels,
        groups: channels,
        kernel: [1, 1 + rng.below(4), size],
        stride: [1, 1 + rng.below(3), 1 + ((i >> 2) % 3)],
        dilation: [1, 1 + rng.below(2), 1 + ((i >> 3) % 2)],
        padding: [0, rng.below(4), size >> 1],
        paddingEnd: [0, 3, size],
      });
      expect(chooseAlgorithm(shape)).toBe("depthwise");
      expectClose(shape, { bias: i % 2 === 0, clamp: [-0.5, 1] });
    }
  });

  test("a convolution takes padding wider than the input", () => {
    expectClose(
      shapeOf({ input: [1, 2, 2], kernel: [1, 7, 7], padding: [0, 6, 6], inChannels: 8, outChannels: 8, groups: 8 }),
    );
  });

  test("a depthwise convolution takes few channels, multipliers and three dimensions", () => {
    expectClose(shapeOf({ input: [1, 6, 7], inChannels: 3, outChannels: 3, groups: 3 }));
    expectClose(shapeOf({ batch: 2, input: [1, 6, 7], inChannels: 5, outChannels: 15, groups: 5, stride: [1, 2, 1] }));
    const cube = { input: [4, 5, 9], kernel: [3, 3, 3], padding: [1, 1, 1], stride: [2, 1, 1] } as const;
    expectClose(shapeOf({ batch: 2, inChannels: 6, outChannels: 6, groups: 6, ...cube }));
  });
});
