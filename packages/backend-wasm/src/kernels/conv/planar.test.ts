import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { BUILDS, random, testbed } from "../../kernels.test-helper.ts";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { difference, shapeOf } from "./convolution.test-helper.ts";
import { chooseAlgorithm } from "./plan-conv.ts";

test.each(BUILDS)("convolutions with up to four output channels are computed from planes, in the build %s", (build) => {
  const bed = testbed(1024, { build });
  const rng = random(19);
  for (let i = 0; i < 120; i++) {
    const kernel = [1, 1 + rng.below(5), 2 + rng.below(5)] as const;
    const outChannels = 1 + (i % 4);
    const shape = shapeOf({
      batch: 1 + rng.below(2),
      input: [1, 1 + rng.below(14), 44 + rng.below(90)],
      inChannels: outChannels === 1 ? 2 + rng.below(40) : 1 + rng.below(40),
      outChannels,
      kernel,
      stride: [1, 1 + rng.below(3), 1],
      dilation: [1, 1 + rng.below(2), 1 + rng.below(2)],
      padding: [0, 4, rng.below(9)],
      paddingEnd: [0, 4 + rng.below(3), rng.below(4)],
    });
    expect(chooseAlgorithm(shape)).toBe("planar");
    const worst = difference(bed, rng, shape, { bias: i % 3 > 0, ...(i % 5 === 0 ? { clamp: [-1, 1] } : {}) });
    expect(worst, JSON.stringify(shape)).toBeLessThan(1e-5);
  }
});

test("lines that are shorter than what pads them are padded with zeros", () => {
  const bed = testbed(64);
  const shape = shapeOf({ input: [1, 3, 2], kernel: [1, 3, 9], padding: [0, 1, 20], inChannels: 3, outChannels: 2 });
  expect(chooseAlgorithm(shape)).toBe("planar");
  expect(difference(bed, random(3), shape)).toBeLessThan(1e-5);
});

test("a network's last convolution is computed from planes by any number of threads", async () => {
  const rng = random(8);
  const [x, weight] = [rng.floats(2 * 6 * 40 * 50), rng.floats(3 * 6 * 3 * 3)];
  const [y] = await runByAnyThreads(
    `
    user_input %x: f32[2, 6, 40, 50]
    user_input %w: f32[3, 6, 3, 3]
    %y: f32[2, 3, 40, 50] = aten::conv2d(input=%x, weight=%w, stride=[1, 1], padding=[1, 1])
    return %y`,
    [hostTensor("float32", [2, 6, 40, 50], x), hostTensor("float32", [3, 6, 3, 3], weight)],
  );
  const at = (n: number, c: number, h: number, w: number): number =>
    h >= 0 && w >= 0 && h < 40 && w < 50 ? x[((n * 6 + c) * 40 + h) * 50 + w]! : 0;
  for (const [n, o, h, w] of [
    [0, 0, 0, 0],
    [1, 2, 39, 49],
    [1, 1, 20, 31],
    [0, 2, 7, 0],
  ] as const) {
    let sum = 0;
    for (let i = 0; i < 54; i++) {
      const [c, kh, kw] = [Math.floor(i / 9), Math.floor(i / 3) % 3, i % 3];
      sum += at(n, c, h + kh - 1, w + kw - 1) * weight[o * 54 + i]!;
    }
    expect(y!.data[((n * 3 + o) * 40 + h) * 50 + w]).toBeCloseTo(sum, 5);
  }
});
