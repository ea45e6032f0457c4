import { describe, expect, test } from "vitest";
import { random, testbed } from "../../kernels.test-helper.ts";
import { difference, shapeOf } from "./convolution.test-helper.ts";
import { chooseAlgorithm } from "./plan-conv.ts";
import type { ConvShape } from "./types.ts";

function square(channels: number, size: number, given: Partial<ConvShape> = {}): ConvShape {
  return shapeOf({ inChannels: channels, outChannels: channels, input: [1, size, size], ...given });
}

describe("choice of algorithm", () => {
  test("a 3x3 convolution with stride 1 takes tiles of four, of two for few channels and small maps, and none for tiny ones", () => {
    for (const [channels, size] of [
      [256, 14],
      [512, 14],
      [512, 12],
    ] as const) {
      expect(chooseAlgorithm(square(channels, size))).toBe("winograd4");
    }
    expect(chooseAlgorithm(square(8, 112))).toBe("winograd2");
    expect(chooseAlgorithm(square(64, 56))).toBe("winograd2");
    expect(chooseAlgorithm(square(128, 28))).toBe("winograd2");
    expect(chooseAlgorithm(square(18, 56))).toBe("winograd2");
    expect(chooseAlgorithm(square(64, 28, { outChannels: 66 }))).toBe("winograd2");
    for (const size of [4, 7, 10]) expect(chooseAlgorithm(square(512, size))).toBe("winograd2");
    expect(chooseAlgorithm(square(256, 2))).toBe("im2col");
  });

  test("a 3x3 convolution with stride 2 takes tiles of two, but for few channels and maps of which they would cover more", () => {
    for (const channels of [32, 64, 128, 256]) {
      expect(chooseAlgorithm(square(channels, 7168 / channels, { stride: [1, 2, 2] }))).toBe("winograd2-stride2");
    }
    expect(chooseAlgorithm(square(512, 14, { stride: [1, 2, 2] }))).toBe("im2col");
    expect(chooseAlgorithm(square(8, 112, { stride: [1, 2, 2] }))).toBe("im2col");
  });

  test("groups of many channels take the tiles that each of them would take alone", () => {
    expect(chooseAlgorithm(square(128, 28, { groups: 2 }))).toBe("winograd2");
    expect(chooseAlgorithm(square(512, 14, { groups: 2 }))).toBe("winograd4");
    expect(chooseAlgorithm(square(128, 28, { groups: 2, stride: [1, 2, 2] }))).toBe("winograd2-stride2");
    expect(chooseAlgorithm(square(128, 28, { groups: 32 }))).toBe("grouped");
    expect(chooseAlgorithm(square(1600, 14, { groups: 2 }))).toBe("im2col");
  });

  test("a convolution that Winograd cannot compute takes another algorithm", () => {
    const cases: readonly Partial<ConvShape>[] = [
      { stride: [1, 2, 1] },
      { stride: [1, 3, 3] },
      { dilation: [1, 2, 2], stride: [1, 2, 2], input: [1, 57, 57] },
      { inChannels: 3, input: [1, 9, 9] },
      { kernel: [1, 5, 5] },
      { kernel: [3, 3, 3], input: [3, 9, 9] },
      { input: [3, 9, 9] },
    ];
    for (const given of cases) expect(chooseAlgorithm(square(64, 28, given)), JSON.stringify(given)).toBe("im2col");
  });

  test("dilated convolutions are several without dilation, unless these are small", () => {
    const dilated = (channels: number, size: number, step: number): string =>
      chooseAlgorithm(square(channels, size, { dilation: [1, step, step], padding: [0, step, step] }));
    expect(dilated(64, 28, 2)).toBe("winograd2");
    expect(dilated(256, 65, 2)).toBe("winograd4");
    expect(dilated(64, 33, 30)).toBe("im2col");
  });

  test("one input channel is a dense convolution, with one output channel or many", () => {
    expect(chooseAlgorithm(shapeOf({ inChannels: 1, outChannels: 16, input: [1, 8, 8] }))).toBe("im2col");
    expect(chooseAlgorithm(shapeOf({ inChannels: 1, outChannels: 1, input: [1, 8, 8] }))).toBe("depthwise");
    expect(chooseAlgorithm(shapeOf({ inChannels: 5, outChannels: 15, groups: 5, input: [1, 8, 8] }))).toBe(
      "depthwise-scalar",
    );
  });

  test("weights that are too large, or not constant, are not transformed", () => {
    expect(chooseAlgorithm(square(800, 14))).toBe("winograd2");
    expect(chooseAlgorithm(square(1280, 16))).toBe("im2col");
    expect(chooseAlgorithm(square(64, 56), false)).toBe("im2col");
  });

  test("pointwise, depthwise and transposed convolutions have algorithms of their own", () => {
    const point = { kernel: [1, 1, 1], padding: [0, 0, 0] } as const;
    expect(chooseAlgorithm(square(8, 5, point))).toBe("pointwise");
    expect(chooseAlgorithm(square(8, 5, { ...point, stride: [1, 2, 2] }))).toBe("im2col");
    expect(chooseAlgorithm(square(8, 5, { groups: 8 }))).toBe("depthwise");
    expect(chooseAlgorithm(square(8, 5, { transposed: true }))).toBe("transposed");
  });
});

describe("rounding of the Winograd algorithms", () => {
  // Activations in [-1, 1) and such weights give outputs of standard deviation 1, as between the layers of a ResNet.
  test.each([64, 256, 512])("Winograd's error with %i channels is far inside rtol 1e-3, atol 1e-4", (channels) => {
    const bed = testbed(2048);
    const gain = 3 / Math.sqrt(channels * 9);
    for (const [algorithm, limit] of [
      ["winograd4", 3e-5],
      ["winograd2", 5e-6],
      ["winograd2-stride2", 5e-6],
      ["im2col", 5e-6],
    ] as const) {
      const stride = algorithm === "winograd2-stride2" ? 2 : 1;
      const shape = square(channels, 13 * stride, { outChannels: 16, stride: [1, stride, stride] });
      const error = difference(bed, random(channels), shape, { algorithm, gain });
      expect(error, algorithm).toBeLessThan(limit);
    }
  });
});
