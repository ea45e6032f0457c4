import { describe, expect, test } from "vitest";
import { random, testbed } from "../../kernels.test-helper.ts";
import { difference, shapeOf } from "./convolution.test-helper.ts";
import type { ConvShape } from "./types.ts";

const bed = testbed();
const rng = random(7);

function expectClose(shape: ConvShape, options: Parameters<typeof difference>[3] = {}, limit = 1e-5): void {
  expect(difference(bed, rng, shape, options), JSON.stringify({ ...shape, ...options })).toBeLessThan(limit);
}

describe("transposed", () => {
  test("a transposed convolution takes strides, paddings, dilations, groups and output padding", () => {
    for (let i = 0; i < 40; i++) {
      const groups = 1 + (i % 3);
      const stride = [1, 1 + rng.below(3), 1 + rng.below(3)] as const;
      const shape = shapeOf({
        transposed: true,
        batch: 1 + rng.below(2),
        input: [1, 3 + rng.below(5), 3 + rng.below(5)],
        inChannels: groups * (1 + rng.below(6)),
        outChannels: groups * (1 + rng.below(6)),
        groups,
        kernel: [1, 2 + rng.below(3), 2 + rng.below(3)],
        stride,
        dilation: [1, 1 + rng.below(2), 1 + rng.below(2)],
        padding: [0, rng.below(2), rng.below(2)],
        outputPadding: [0, rng.below(stride[1]), rng.below(stride[2])],
      });
      expectClose(shape, i % 2 ? { clamp: [-1, 1] } : { bias: false });
    }
  });

  test("a transposed convolution of each channel on its own takes any number of them", () => {
    for (const channels of [1, 2, 3, 4, 5, 8, 13]) {
      const shape = shapeOf({
        transposed: true,
        batch: 2,
        input: [1, 5, 6],
        inChannels: channels,
        outChannels: channels,
        groups: channels,
        kernel: [1, 4, 3],
        stride: [1, 2, 3],
        dilation: [1, 1, 2],
        padding: [0, 1, 2],
        outputPadding: [0, 1, 0],
      });
      for (const options of [{}, { clamp: [-1, 1] }, { bias: false }] as const) expectClose(shape, options, 2e-6);
      expectClose({ ...shape, input: [3, 4, 5], kernel: [2, 3, 3], stride: [2, 1, 2], outputPadding: [1, 0, 0] });
    }
  });

  test("a transposed convolution takes one and three dimensions", () => {
    expectClose(
      shapeOf({ transposed: true, input: [1, 1, 11], kernel: [1, 1, 4], stride: [1, 1, 2], padding: [0, 0, 1] }),
    );
    const cube = { input: [3, 4, 5], kernel: [2, 3, 2], stride: [2, 1, 2], padding: [0, 1, 0] } as const;
    expectClose(shapeOf({ transposed: true, batch: 2, inChannels: 6, outChannels: 10, groups: 2, ...cube }));
  });
});
