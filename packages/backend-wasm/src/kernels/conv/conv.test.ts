import { describe, expect, test } from "vitest";
import { random, testbed } from "../../kernels.test-helper.ts";
import { difference, shapeOf } from "./convolution.test-helper.ts";
import { chooseAlgorithm } from "./plan-conv.ts";
import type { ConvShape } from "./types.ts";

const bed = testbed();
const rng = random(7);
const relu6 = [0, 6] as const;

function expectClose(shape: ConvShape, options: Parameters<typeof difference>[3] = {}, limit = 1e-5): void {
  expect(difference(bed, rng, shape, options), JSON.stringify({ ...shape, ...options })).toBeLessThan(limit);
}

describe("pointwise", () => {
  test("a pointwise convolution takes tails of channels and rows, batches, groups and a clamp", () => {
    for (const [inChannels, outChannels, groups] of [
      [1, 1, 1],
      [3, 5, 1],
      [8, 16, 1],
      [17, 29, 1],
      [6, 9, 3],
    ] as const) {
      const shape = shapeOf({
        batch: 2,
        input: [1, 7, 5],
        kernel: [1, 1, 1],
        padding: [0, 0, 0],
        inChannels,
        outChannels,
        groups,
      });
      expect(chooseAlgorithm(shape)).toBe("pointwise");
      expectClose(shape);
      expectClose(shape, { bias: false, clamp: relu6 });
    }
  });

  test("a convolution with a stride does not take the pointwise path", () => {
    const shape = shapeOf({
      batch: 2,
      input: [1, 7, 5],
      kernel: [1, 1, 1],
      padding: [0, 0, 0],
      stride: [1, 2, 2],
      inChannels: 5,
      outChannels: 11,
    });
    expect(chooseAlgorithm(shape)).toBe("im2col");
    expectClose(shape);
  });
});

describe("strips", () => {
  test("pictures of one to four channels are read as they lie, in strips", () => {
    for (const [inChannels, outChannels, size, stride, batch] of [
      [3, 16, 3, 2, 2],
      [3, 29, 7, 2, 1],
      [1, 8, 5, 1, 2],
      [4, 13, 3, 3, 1],
      [2, 3, 16, 16, 1],
    ] as const) {
      const shape = shapeOf({
        batch,
        inChannels,
        outChannels,
        input: [1, 24 * stride + size, 25 * stride + size],
        kernel: [1, size, size],
        stride: [1, stride, stride],
        padding: [0, size >> 1, size >> 2],
      });
      expect(chooseAlgorithm(shape)).toBe("strips");
      expectClose(shape, {}, 2e-5);
      expectClose(shape, { bias: false, clamp: relu6 }, 2e-5);
    }
  });

  test("strips take padding wider than the input, and dilation along the height", () => {
    const kernel = [1, 3, 5] as const;
    for (const given of [
      { input: [1, 2, 3] as const, padding: [0, 6, 7] as const },
      { input: [1, 9, 2] as const, padding: [0, 4, 4] as const, dilation: [1, 3, 1] as const },
      { input: [1, 1, 1] as const, padding: [0, 5, 9] as const, stride: [1, 2, 3] as const },
    ]) {
      expectClose(shapeOf({ kernel, inChannels: 3, outChannels: 11, ...given }), { algorithm: "strips" });
    }
  });

  test("small pictures, several groups, depth, dilated rows and columns that nothing reads are not for strips", () => {
    const picture = { inChannels: 3, outChannels: 6, input: [1, 32, 32] as const };
    expect(chooseAlgorithm(shapeOf(picture))).toBe("strips");
    for (const given of [
      { input: [1, 8, 60] as const },
      { input: [3, 32, 32] as const, kernel: [3, 3, 3] as const },
      { groups: 3 },
      { dilation: [1, 1, 2] as const },
      { inChannels: 5, stride: [1, 2, 2] as const },
      { input: [1, 100, 100] as const, stride: [1, 4, 4] as const },
    ]) {
      expect(chooseAlgorithm(shapeOf({ ...picture, ...given }))).not.toBe("strips");
    }
  });
});

describe("im2col", () => {
  test("im2col takes kernels, strides, paddings and dilations", () => {
    for (let i = 0; i < 60; i++) {
      const kernel = [1, 1 + rng.below(5), 1 + rng.below(5)] as const;
      const shape = shapeOf({
        batch: 1 + rng.below(2),
        input: [1, 9 + rng.below(5), 9 + rng.below(5)],
        inChannels: 1 + rng.below(7),
        outChannels: 1 + rng.below(11),
        kernel,
        stride: [1, 1 + rng.below(3), 1 + rng.below(3)],
        dilation: [1, 1 + rng.below(2), 1 + rng.below(2)],
        padding: [0, rng.below(4), rng.below(4)],
        paddingEnd: [0, rng.below(4), rng.below(4)],
      });
      expectClose(shape, { algorithm: "im2col", bias: i % 2 === 0 });
    }
  });

  test("im2col takes padding wider than the input, and several blocks of rows", () => {
    expectClose(shapeOf({ input: [1, 2, 3], kernel: [1, 7, 7], padding: [0, 6, 6] }), { algorithm: "im2col" });
    expectClose(
      shapeOf({ input: [1, 37, 41], kernel: [1, 5, 5], padding: [0, 2, 2], inChannels: 32, outChannels: 3 }),
      {},
      2e-5,
    );
  });

  test("im2col unfolds no more rows at a time than it has room for, whatever their number", () => {
    for (const [height, width] of [
      [3, 79],
      [55, 55],
      [63, 63],
      [53, 1],
      [1, 477],
    ] as const) {
      const shape = shapeOf({
        input: [1, height, width],
        kernel: [1, 5, 5],
        padding: [0, 2, 2],
        inChannels: 16,
        outChannels: 3,
      });
      expectClose(shape, { algorithm: "im2col" }, 2e-5);
    }
  });

  test("im2col of few rows and many columns divides these among threads", () => {
    for (const outChannels of [64, 65, 100]) {
      expectClose(shapeOf({ input: [1, 9, 8], stride: [1, 2, 2], inChannels: 12, outChannels }), { clamp: relu6 });
    }
  });

  test("im2col takes groups", () => {
    for (const [inChannels, outChannels, groups] of [
      [6, 4, 2],
      [12, 12, 3],
      [20, 15, 5],
    ] as const) {
      expectClose(shapeOf({ input: [1, 7, 6], inChannels, outChannels, groups }), { clamp: relu6 });
    }
  });

  test("im2col takes one and three dimensions", () => {
    expectClose(
      shapeOf({ batch: 2, input: [1, 1, 19], kernel: [1, 1, 5], padding: [0, 0, 2], stride: [1, 1, 3], inChannels: 5 }),
    );
    const cube = { input: [5, 6, 7], kernel: [3, 2, 3], padding: [1, 0, 2], stride: [2, 1, 2] } as const;
    expectClose(shapeOf({ batch: 2, inChannels: 3, outChannels: 7, ...cube }));
    expectClose(shapeOf({ inChannels: 6, outChannels: 4, groups: 2, ...cube, dilation: [2, 2, 1] }));
  });
});

describe("winograd", () => {
  const algorithms = ["winograd2", "winograd4", "winograd2-stride2"] as const;
  const strideOf = (algorithm: (typeof algorithms)[number]): ConvShape["stride"] =>
    algorithm === "winograd2-stride2" ? [1, 2, 2] : [1, 1, 1];

  test.each(algorithms)("Winograd with %s takes every remainder of tiles, paddings and batches", (algorithm) => {
    for (const height of [1, 3, 4, 5, 7, 11]) {
      for (const width of [2, 6, 8, 13]) {
        for (const padding of [
          [0, 0, 0],
          [0, 1, 1],
          [0, 2, 1],
        ] as const) {
          if (height + 2 * padding[1] < 3 || width + 2 * padding[2] < 3) continue;
          const channels = { batch: 2, inChannels: 8, outChannels: 12, stride: strideOf(algorithm) };
          expectClose(shapeOf({ ...channels, input: [1, height, width], padding }), { algorithm }, 3e-5);
        }
      }
    }
  });

  test.each(algorithms)("Winograd with %s takes any number of channels", (algorithm) => {
    for (const inChannels of [4, 5, 6, 7, 9, 18]) {
      for (const outChannels of [1, 2, 3, 4, 5, 7, 9, 10, 11, 18, 27]) {
        const shape = shapeOf({ input: [1, 7, 6], inChannels, outChannels, stride: strideOf(algorithm) });
        expectClose(shape, { algorithm, bias: outChannels % 3 !== 0 }, 3e-5);
      }
    }
  });

  test.each(["winograd2", "winograd4"] as const)(
    "Winograd with %s takes dilations, also beyond the image",
    (algorithm) => {
      const rng = random(23);
      for (const dilation of [2, 3, 5, 7, 19]) {
        for (const other of [1, 2, 4, dilation]) {
          for (const [height, width] of [
            [1, 2],
            [7, 13],
            [17, 11],
          ] as const) {
            const shape = shapeOf({
              ...{ batch: 2, inChannels: 4 + rng.below(6), outChannels: 1 + rng.below(13), groups: 1 },
              input: [1, height, width],
              dilation: [1, dilation, other],
              padding: [0, dilation + rng.below(2), other],
              paddingEnd: [0, dilation, other + rng.below(3)],
            });
            expectClose(shape, { algorithm, bias: dilation !== 3 }, 3e-5);
          }
        }
      }
      const groups = { groups: 2, inChannels: 14, outChannels: 10 } as const;
      const dilated = { dilation: [1, 2, 3], padding: [0, 2, 3] } as const;
      expectClose(shapeOf({ ...groups, ...dilated, input: [1, 31, 37] }), { algorithm, clamp: [-1, 1] }, 3e-5);
    },
  );

  test("Winograd takes several blocks, padding at the end only, and a clamp", () => {
    const given = { padding: [0, 0, 0], paddingEnd: [0, 2, 1], inChannels: 64, outChannels: 20 } as const;
    for (const algorithm of algorithms) {
      const stride = strideOf(algorithm);
      const shape = shapeOf({ ...given, stride, input: [1, 29 * stride[1], 31 * stride[2]] });
      expectClose(shape, { algorithm, clamp: [-1, 2], bias: false }, 5e-5);
    }
  });
});
