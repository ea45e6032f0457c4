import { numel, type Tensor } from "@pt2/backend";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";
import { sumError } from "./sum-error.test-helper.ts";

const BARE = { attr: "none", scalars: [], algorithm: null } as const;

describeWithLibtorch("kernels of videos, against ATen's ops", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;

  function expectClose(actual: Tensor, expected: Tensor, terms: number, tolerance = 2e-5): void {
    expect(actual.shape).toEqual(expected.shape);
    expect(worstError(elementsOf(actual), elementsOf(expected), ABSOLUTE)).toBeLessThan(tolerance + sumError(terms));
  }

  /** The same video in three orders of memory, the last of them the half of its channels in another one's. */
  function ordered(x: Tensor): readonly Tensor[] {
    const last = one("aten::permute", [
      one("aten::contiguous", [one("aten::permute", [x, [0, 2, 3, 4, 1]])]),
      [0, 4, 1, 2, 3],
    ]);
    const wider = one("aten::cat", [[last, last], 1]);
    return [x, last, one("aten::narrow", [wider, 1, x.shape[1]!, x.shape[1]!])];
  }

  function arranged(weight: Tensor, dims: readonly number[], shape: readonly number[]): Tensor {
    return one("aten::reshape", [one("aten::permute", [weight, dims]), shape]);
  }

  describe.each([
    // batch, channels, sizes, outputs, kernel, stride, padding, dilation
    [1, 3, [8, 19, 17], 24, [3, 7, 7], [1, 2, 2], [1, 3, 3], [1, 1, 1]],
    [2, 20, [5, 7, 9], 33, [3, 3, 3], [1, 1, 1], [1, 1, 1], [1, 1, 1]],
    [2, 17, [7, 5, 6], 12, [2, 1, 3], [2, 1, 2], [0, 0, 1], [2, 1, 1]],
    [1, 12, [4, 6, 5], 40, [1, 3, 3], [1, 1, 1], [0, 0, 0], [1, 1, 1]],
    [2, 12, [6, 5, 7], 9, [1, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1]],
    [2, 5, [2, 5, 4], 16, [3, 1, 1], [1, 1, 1], [3, 0, 0], [1, 1, 1]],
    [1, 5, [3, 5, 4], 16, [1, 1, 1], [2, 2, 2], [1, 1, 0], [1, 1, 1]],
    // More than is brought together at once.
    [2, 64, [7, 90, 101], 3, [3, 2, 1], [1, 2, 2], [1, 0, 0], [1, 1, 1]],
  ] as const)(
    "direct_conv3d of %i × %i channels at %j, to %i by %j, stride %j, padding %j, dilation %j",
    (n, c, sizes, outputs, kernel, stride, padding, dilation) => {
      const terms = c * numel(kernel);
      const x = random([n, c, ...sizes]);
      const weight = random([outputs, c, ...kernel], 2);
      const bias = random([outputs], 3);
      const windows = { stride, padding, dilation };
      const plain = one("aten::conv3d", { input: x, weight, bias, ...windows });
      const matrix = arranged(weight, [0, 3, 4, 2, 1], [outputs, terms]);
      const packed = one("pt2::pack_conv_weight", { weight: matrix, groups: 1, width: null });
      const args = { weight: packed, out_channels: outputs, kernel, bias, ...windows };

      it("reads any order of memory", () => {
        for (const each of ordered(x))
          expectClose(one("pt2::direct_conv3d", { x: each, ...args, residual: null, ...BARE }), plain, terms);
      });

      it("adds, and applies an activation", () => {
        const residual = random(plain.shape, 4);
        const sum = one("aten::add.Tensor", { self: plain, other: residual });
        for (const other of ordered(residual)) {
          const result = one("pt2::direct_conv3d", { x, ...args, residual: other, ...BARE, attr: "relu" });
          expectClose(result, one("aten::relu", [sum]), terms);
        }
      });
    },
  );

  it.each([
    [1, 7, [5, 13, 15], 20, 3, 1, [1, 1, 1], 1],
    [2, 16, [8, 12, 11], 17, 3, 2, [2, 0, 1], 2],
    [2, 33, [4, 9, 14], 40, 1, 1, [0, 1, 0], 1],
  ] as const)(
    "winograd_conv3d of %i × %i channels at %j, to %i by %i frames, stride %i, padding %j, dilation %i",
    (n, c, sizes, outputs, frames, stride, padding, dilation) => {
      const x = random([n, c, ...sizes]);
      const weight = random([outputs, c, frames, 3, 3], 2);
      const bias = random([outputs], 3);
      const windows = { stride: [stride, 1, 1], padding, dilation: [dilation, 1, 1] };
      const plain = one("aten::conv3d", { input: x, weight, bias, ...windows });
      const residual = random(plain.shape, 4);
      const sum = one("aten::add.Tensor", { self: plain, other: residual });
      const filters = arranged(weight, [0, 2, 1, 3, 4], [outputs, frames * c, 3, 3]);
      const args = {
        weight: one("pt2::pack_winograd_weight", { weight: filters }),
        ...{ out_channels: outputs, frames, bias, frame_stride: stride, padding, frame_dilation: dilation },
      };
      // As in kernels.test.ts: 2e-7 for each channel, five times.
      const tolerance = 1e-6 * frames * c;
      for (const each of ordered(x)) {
        const result = one("pt2::winograd_conv3d", { x: each, ...args, residual, ...BARE, attr: "relu" });
        expectClose(result, one("aten::relu", [sum]), 0, tolerance);
      }
    },
  );

  it.each([
    [2, 24, [7, 11, 13], [3, 3, 3], [1, 1, 1], [1, 1, 1], [1, 1, 1]],
    [1, 33, [6, 10, 9], [3, 3, 3], [1, 2, 2], [1, 1, 1], [1, 1, 1]],
    [2, 5, [5, 6, 8], [5, 1, 1], [1, 1, 1], [2, 0, 0], [1, 1, 1]],
    [2, 16, [9, 7, 10], [2, 5, 3], [2, 1, 1], [3, 2, 0], [2, 1, 3]],
    [1, 19, [4, 8, 20], [1, 3, 3], [1, 1, 1], [0, 1, 1], [1, 1, 1]],
    [1, 3, [2, 3, 4], [3, 3, 3], [1, 1, 1], [4, 4, 4], [1, 1, 1]],
    // Frames that are left out, and some that are all zeros.
    [2, 20, [5, 8, 20], [1, 3, 3], [2, 1, 1], [0, 1, 1], [1, 1, 1]],
    [2, 20, [3, 8, 20], [1, 3, 3], [1, 1, 1], [2, 1, 1], [1, 1, 1]],
  ] as const)(
    "depthwise_conv3d of %i × %i channels at %j by %j, stride %j, padding %j, dilation %j",
    (n, c, sizes, kernel, stride, padding, dilation) => {
      const x = random([n, c, ...sizes]);
      const weight = random([c, 1, ...kernel], 2);
      const bias = random([c], 3);
      const windows = { stride, padding, dilation };
      const plain = one("aten::conv3d", { input: x, weight, bias, ...windows, groups: c });
      const [frames, height, width] = kernel;
      const rows = arranged(weight, [0, 1, 3, 2, 4], [c, 1, height * frames, width]);
      const packed = one("pt2::pack_depthwise_weight", { weight: rows });
      for (const each of ordered(x)) {
        const args = { x: each, weight: packed, bias, frames, ...windows, ...BARE };
        expectClose(one("pt2::depthwise_conv3d", args), plain, numel(kernel));
        const activated = one("pt2::depthwise_conv3d", { ...args, attr: "swish" });
        expectClose(activated, one("aten::silu", [plain]), numel(kernel));
      }
    },
  );

  it.each([
    [[3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1], false],
    [[1, 3, 3], [1, 2, 2], [0, 1, 1], [1, 1, 1], false],
    [[2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], true],
    [[3, 1, 1], [1, 1, 1], [1, 0, 0], [1, 1, 1], false],
    [[2, 3, 2], [1, 2, 3], [1, 1, 0], [2, 1, 3], true],
  ] as const)(
    "max_pool3d over %j, stride %j, padding %j, dilation %j, ceil_mode %s",
    (kernel, stride, padding, dilation, ceil) => {
      const x = random([2, 19, 7, 9, 10]);
      const data = x.data as Float32Array;
      data[1234] = Number.NaN;
      data[2345] = Number.POSITIVE_INFINITY;
      const plain = one("aten::max_pool3d", [x, kernel, stride, padding, dilation, ceil]);
      for (const each of ordered(x)) {
        const args = { x: each, kernel, stride, padding, dilation, ceil_mode: ceil };
        const result = one("pt2::max_pool3d", args);
        expect(result.shape).toEqual(plain.shape);
        expect(elementsOf(result)).toEqual(elementsOf(plain));
      }
    },
  );

  it("conv1x1, direct_conv2d, depthwise_conv2d and group_norm take each frame for a row of pixels", () => {
    const x = random([2, 20, 5, 6, 7]);
    const [weight, bias] = [random([20, 20, 3, 1, 1], 2), random([20], 3)];
    const residual = random([2, 20, 5, 6, 7], 4);
    const windows = { stride: [1, 1], padding: [1, 0], dilation: [1, 1] };
    const padding = [1, 0, 0];
    const matrix = arranged(weight, [0, 2, 1, 3, 4], [20, 60]);
    const kernel = one("aten::narrow", [weight, 2, 1, 1]);
    const each = random([20, 1, 3, 1, 1], 5);
    const add = (sum: Tensor): Tensor => one("aten::add.Tensor", [sum, residual]);
    for (const video of ordered(x)) {
      const product = one("pt2::conv1x1", {
        x: video,
        weight: one("pt2::pack_linear_weight", { weight: one("aten::reshape", [kernel, [20, 20]]) }),
        ...{ out_channels: 20, bias, residual, ...BARE },
      });
      expectClose(product, add(one("aten::conv3d", { input: x, weight: kernel, bias })), 20);
      const direct = one("pt2::direct_conv2d", {
        x: video,
        weight: one("pt2::pack_conv_weight", { weight: matrix, groups: 1, width: null }),
        ...{ out_channels: 20, kernel: [3, 1], bias, residual, ...windows, groups: 1, ...BARE },
      });
      expectClose(direct, add(one("aten::conv3d", { input: x, weight, bias, padding })), 60);
      const depthwise = one("pt2::depthwise_conv2d", {
        x: video,
        weight: one("pt2::pack_depthwise_weight", { weight: one("aten::reshape", [each, [20, 1, 3, 1]]) }),
        ...{ bias, ...windows, ...BARE },
      });
      expectClose(depthwise, one("aten::conv3d", { input: x, weight: each, bias, padding, groups: 20 }), 3);
      const normal = one("pt2::group_norm", { x: video, groups: 4, weight: bias, bias: null, eps: 1e-5 });
      expectClose(normal, one("aten::group_norm", [x, 4, bias]), 0);
    }
  });

  it("refuses what does not fit", () => {
    const x = random([2, 6, 4, 5, 5]);
    const triples = { stride: [1, 1, 1], padding: [0, 0, 0], dilation: [1, 1, 1] };
    const weight = one("pt2::pack_conv_weight", { weight: random([5, 6 * 12]), groups: 1, width: null });
    const direct = { x, weight, out_channels: 5, kernel: [3, 2, 2], bias: null, residual: null, ...triples, ...BARE };
    expect(() => one("pt2::direct_conv3d", { ...direct, x: random([6, 4, 5, 5]) })).toThrow(
      "must have five dimensions",
    );
    expect(() => one("pt2::direct_conv3d", { ...direct, kernel: [3, 2, 1] })).toThrow("pack_conv_weight");
    expect(() => one("pt2::direct_conv3d", { ...direct, stride: [0, 1, 1] })).toThrow("stride must be three integers");
    expect(() => one("pt2::direct_conv3d", { ...direct, kernel: [5, 2, 2] })).toThrow("a kernel that spans 5");
    expect(() => one("pt2::direct_conv3d", { ...direct, residual: random([2, 5, 2, 4, 5]) })).toThrow("residual");
    const flat = { ...direct, kernel: [2, 2], stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 };
    expect(() => one("pt2::direct_conv2d", flat)).toThrow("windows over videos must have one column");
    const packed = one("pt2::pack_depthwise_weight", { weight: random([6, 1, 4, 3]) });
    const depthwise = { x, weight: packed, bias: null, frames: 3, ...triples, ...BARE };
    expect(() => one("pt2::depthwise_conv3d", depthwise)).toThrow("must be those of 3 frames");
    expect(() => one("pt2::depthwise_conv3d", { ...depthwise, frames: 2, dilation: [1, 2, 1] })).toThrow("dilation 2");
    const pool = { x, kernel: [2, 2, 2], ...triples, ceil_mode: false };
    expect(() => one("pt2::max_pool3d", { ...pool, padding: [2, 0, 0] })).toThrow("padding may be half a window");
  });
});
