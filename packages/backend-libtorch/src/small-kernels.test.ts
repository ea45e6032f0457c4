import { hostTensor, numel, type Tensor } from "@pt2/backend";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";
import { sumError } from "./sum-error.test-helper.ts";

/** Sums of at most 300 products of numbers like these, and what approximations of `exp` add: some tens of roundings. */
const CLOSE = 2e-5;

const BARE = { attr: "none", scalars: [], algorithm: null } as const;

describeWithLibtorch("kernels for small programs, against ATen's ops", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const all = (name: string, args: OpArgs): readonly Tensor[] =>
    torch.callSync(name as "aten::add", args) as readonly Tensor[];
  const one = (name: string, args: OpArgs): Tensor => all(name, args)[0]!;
  const packed = (weight: Tensor): Tensor => one("pt2::pack_linear_weight", { weight });

  function expectClose(actual: Tensor, expected: Tensor, terms = 0): void {
    expect(actual.shape).toEqual(expected.shape);
    expect(worstError(elementsOf(actual), elementsOf(expected), ABSOLUTE)).toBeLessThan(CLOSE + sumError(terms));
  }

  /** The weight of a convolution as `direct_conv2d` takes it. */
  function matrix(weight: Tensor, groups = 1, width: number | null = null): Tensor {
    const { shape } = weight;
    const last = one("aten::permute", [weight, shape.length === 3 ? [0, 2, 1] : [0, 2, 3, 1]]);
    const rows = one("aten::reshape", [last, [shape[0]!, numel(shape.slice(1))]]);
    return one("pt2::pack_conv_weight", { weight: rows, groups, width });
  }

  describe.each([
    // batch, channels, sizes, outputs, kernel, stride, padding, dilation, groups
    [1, 1, [8, 8], 16, [3, 3], [1, 1], [1, 1], [1, 1], 1],
    [3, 16, [8, 8], 32, [3, 3], [1, 1], [1, 1], [1, 1], 1],
    [2, 5, [7, 19], 48, [3, 2], [2, 3], [1, 0], [1, 2], 1],
    [2, 33, [5, 5], 7, [5, 5], [1, 1], [0, 0], [1, 1], 1],
    [1, 4, [1, 1], 3, [1, 1], [2, 2], [3, 1], [4, 4], 1],
    // Large enough for several bands.
    [2, 3, [149, 149], 40, [3, 3], [2, 2], [1, 1], [1, 1], 1],
    [1, 3, [131, 97], 9, [7, 7], [2, 1], [3, 3], [1, 1], 1],
    [1, 1, [211, 83], 5, [2, 3], [3, 2], [0, 4], [7, 2], 1],
    // Kernels that are apart, and kernels that look at some pixels only.
    [2, 8, [12, 10], 16, [2, 2], [2, 2], [0, 0], [1, 1], 1],
    [2, 6, [13, 11], 40, [2, 3], [2, 3], [0, 0], [1, 1], 1],
    [2, 20, [13, 17], 35, [1, 1], [2, 3], [0, 0], [1, 1], 1],
    [1, 20, [13, 17], 35, [1, 1], [2, 3], [1, 2], [1, 1], 1],
    [1, 7, [9, 12], 33, [1, 3], [2, 2], [0, 1], [1, 1], 1],
    [1, 7, [9, 12], 33, [3, 1], [1, 3], [1, 0], [2, 1], 1],
    // Pixels of a tile that would share a set of the cache, and channels that are divided among threads.
    [1, 1024, [2, 14], 20, [1, 3], [1, 1], [0, 1], [1, 1], 1],
    [1, 32, [7, 9], 70, [3, 2], [1, 4], [1, 1], [1, 1], 1],
    [1, 128, [3, 3], 200, [1, 1], [1, 1], [0, 0], [1, 1], 1],
    [2, 16, [11, 16], 64, [1, 4], [2, 4], [0, 0], [1, 1], 1],
    // Weights that are read in passes, and come a pass ahead.
    [1, 240, [7, 5], 70, [3, 3], [1, 1], [1, 1], [1, 1], 1],
    [2, 160, [9, 4], 130, [4, 5], [2, 1], [2, 2], [1, 1], 1],
    // Broad images without padding at the sides, whose rows are read where they lie.
    [2, 12, [5, 150], 40, [3, 1], [1, 1], [1, 0], [1, 1], 1],
    [1, 64, [8, 3001], 33, [7, 1], [2, 1], [3, 0], [1, 1], 1],
    [1, 20, [2, 70], 33, [2, 1], [1, 1], [3, 0], [1, 1], 1],
    [2, 9, [11, 133], 70, [3, 3], [1, 2], [2, 0], [3, 1], 1],
    [1, 700, [3, 66], 40, [7, 1], [1, 1], [3, 0], [1, 1], 1],
    [1, 24, [4, 64], 40, [2, 1], [1, 1], [1, 0], [1, 1], 2],
    // Groups, with fewer outputs than a vector, with more than one panel, and with all that is above.
    [2, 24, [9, 14], 40, [3, 3], [2, 2], [1, 1], [1, 1], 4],
    [1, 6, [7, 5], 210, [2, 3], [1, 1], [1, 0], [1, 2], 3],
    [1, 64, [8, 15], 64, [1, 1], [2, 2], [0, 0], [1, 1], 4],
    [2, 64, [10, 9], 128, [3, 3], [2, 4], [1, 1], [1, 1], 2],
    [1, 12, [8, 8], 96, [2, 2], [2, 2], [0, 0], [1, 1], 12],
  ] as const)(
    "direct_conv2d of %i × %i channels at %j, to %i by %j, stride %j, padding %j, dilation %j, groups %i",
    (n, c, sizes, outputs, kernel, stride, padding, dilation, groups) => {
      const terms = (c / groups) * kernel[0] * kernel[1];
      const x = random([n, c, ...sizes]);
      const weight = random([outputs, c / groups, ...kernel], 2);
      const bias = random([outputs], 3);
      const plain = one("aten::conv2d", { input: x, weight, bias, stride, padding, dilation, groups });
      const windows = { kernel, stride, padding, dilation, groups };
      const args = { weight: matrix(weight, groups), out_channels: outputs, bias, ...windows };
      const last = one("aten::contiguous", { self: x, memory_format: "channels_last" });

      it("reads any order of memory", () => {
        const run = (input: Tensor): Tensor =>
          one("pt2::direct_conv2d", { x: input, ...args, residual: null, ...BARE });
        for (const input of [x, last]) expectClose(run(input), plain, terms);
        const narrow = { ...args, weight: matrix(weight, groups, 1), residual: null, ...BARE };
        expectClose(one("pt2::direct_conv2d", { x, ...narrow }), plain, terms);
        const transposed = one("aten::transpose.int", [x, 2, 3]);
        if (sizes[0] === sizes[1]) {
          const expected = one("aten::conv2d", {
            input: transposed,
            weight,
            bias,
            stride,
            padding,
            dilation,
            groups,
          });
          expectClose(run(transposed), expected, terms);
        }
      });

      it.each([
        ["relu", "aten::relu", []],
        ["leaky_relu", "aten::leaky_relu", [0.1]],
        ["tanh", "aten::tanh", []],
      ] as const)("adds, and applies %s", (attr, op, scalars) => {
        const residual = random(plain.shape, 4);
        const epilogue = { residual, attr, scalars, algorithm: null };
        const expected = one(op, [one("aten::add.Tensor", { self: plain, other: residual }), ...scalars]);
        expectClose(one("pt2::direct_conv2d", { x, ...args, ...epilogue }), expected, terms);
      });
    },
  );

  it.each([
    [6, 128, 16, 5, 2, 2, 1, 1],
    [16, 40, 16, 3, 1, 0, 4, 1],
    [24, 49, 24, 3, 1, 1, 1, 24],
    [10, 30, 33, 1, 1, 0, 1, 1],
  ] as const)(
    "sequences of %i × %i are images of one row",
    (c, width, outputs, kernel, stride, padding, dilation, groups) => {
      const x = random([2, c, width]);
      const weight = random([outputs, c / groups, kernel], 2);
      const bias = random([outputs], 3);
      const windows = { stride: [1, stride], padding: [0, padding], dilation: [1, dilation] };
      const image = one("aten::unsqueeze", [weight, 2]);
      const result =
        groups > 1
          ? one("pt2::depthwise_conv2d", {
              x,
              weight: one("pt2::pack_depthwise_weight", { weight: image }),
              bias,
              ...windows,
              ...BARE,
            })
          : kernel === 1
            ? one("pt2::conv1x1", {
                x,
                weight: packed(one("aten::squeeze.dim", [weight, 2])),
                out_channels: outputs,
                bias,
                residual: null,
                ...BARE,
              })
            : one("pt2::direct_conv2d", {
                x,
                weight: matrix(weight),
                out_channels: outputs,
                kernel: [1, kernel],
                groups: 1,
                bias,
                residual: null,
                ...windows,
                ...BARE,
              });
      const args = { stride: [stride], padding: [padding], dilation: [dilation], groups };
      expectClose(result, one("aten::conv1d", { input: x, weight, bias, ...args }));
    },
  );

  it("direct_conv2d pads each side as it is told", () => {
    const [x, weight] = [random([2, 5, 6, 7]), random([9, 5, 3, 2], 2)];
    const [top, left, bottom, right] = [2, 0, 1, 3];
    const around = one("aten::constant_pad_nd", { self: x, pad: [left, right, top, bottom] });
    const windows = { stride: [1, 2], dilation: [2, 1], groups: 1 };
    const args = { x, weight: matrix(weight), out_channels: 9, kernel: [3, 2], bias: null, residual: null, ...BARE };
    const result = one("pt2::direct_conv2d", { ...args, ...windows, padding: [top, left, bottom, right] });
    expectClose(result, one("aten::conv2d", { input: around, weight, ...windows, padding: [0, 0] }));
    expect(() => one("pt2::direct_conv2d", { ...args, ...windows, padding: [1, 1, 1] })).toThrow("two or four");
  });

  it("sequences are pooled as images of one row", () => {
    const x = one("aten::transpose.int", [random([2, 21, 6]), 1, 2]);
    const windows = { kernel: [1, 3], stride: [1, 2], padding: [0, 1], dilation: [1, 1], ceil_mode: false };
    expectClose(one("pt2::max_pool2d", { x, ...windows }), one("aten::max_pool1d", [x, [3], [2], [1]]));
    expectClose(one("pt2::global_average_pool", { x }), one("aten::adaptive_avg_pool1d", [x, [1]]));
  });

  it("direct_conv2d keeps NaN through relu, and refuses weights of another size", () => {
    const x = hostTensor("float32", [1, 1, 1, 3], Float32Array.of(Number.NaN, 1, -1));
    const weight = matrix(hostTensor("float32", [1, 1, 1, 1], Float32Array.of(1)));
    const windows = { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 };
    const args = { x, weight, out_channels: 1, bias: null, residual: null, ...windows, ...BARE, attr: "relu" };
    expect(elementsOf(one("pt2::direct_conv2d", { ...args, kernel: [1, 1] }))).toEqual([Number.NaN, 1, 0]);
    expect(() => one("pt2::direct_conv2d", { ...args, kernel: [1, 2] })).toThrow("pack_conv_weight");
    expect(() => one("pt2::direct_conv2d", { ...args, weight: x, kernel: [1, 1] })).toThrow("pack_conv_weight");
    for (const groups of [2, 0, -1])
      expect(() => one("pt2::direct_conv2d", { ...args, kernel: [1, 1], groups })).toThrow("divide the channels");
    const pack = { weight: random([6, 5]), width: null };
    for (const groups of [4, 0, -1])
      expect(() => one("pt2::pack_conv_weight", { ...pack, groups })).toThrow("a multiple of");
  });

  const KINDS = [
    ["gru", 3],
    ["lstm", 4],
    ["rnn_tanh", 1],
    ["rnn_relu", 1],
  ] as const;
  const FORMS = [
    // batch, steps, features, hidden, layers, bidirectional, batch first, biased
    [1, 20, 16, 32, 1, false, true, true],
    [5, 3, 7, 19, 2, true, false, true],
    [3, 4, 40, 33, 2, false, true, false],
    [2, 1, 3, 1, 1, true, true, true],
  ] as const;

  describe.each(KINDS)("recurrent: %s", (kind, gates) => {
    it.each(FORMS)(
      "%i rows of %i steps, %i features, a state of %i, %i layers",
      (batch, steps, features, hidden, layers, bidirectional, batchFirst, biased) => {
        const directions = bidirectional ? 2 : 1;
        const states = [layers * directions, batch, hidden];
        const hx = [random(states, 5), ...(kind === "lstm" ? [random(states, 6)] : [])];
        const params = Array.from({ length: layers * directions }, (_, i) => {
          const inputs = i < directions ? features : directions * hidden;
          const matrices = [inputs, hidden].map((columns, which) =>
            // What is drawn so does not grow from step to step.
            random([gates * hidden, columns], 10 * which + i, columns ** -0.5),
          );
          return [...matrices, ...(biased ? [random([gates * hidden], 30 + i), random([gates * hidden], 40 + i)] : [])];
        }).flat();
        const input = random(batchFirst ? [batch, steps, features] : [steps, batch, features], 7);
        const expected = all(`aten::${kind}.input`, {
          input,
          hx: kind === "lstm" ? hx : hx[0]!,
          params,
          has_biases: biased,
          num_layers: layers,
          dropout: 0,
          train: false,
          bidirectional,
          batch_first: batchFirst,
        });
        const weights = params.map((weight) => (weight.shape.length === 2 ? packed(weight) : weight));
        const before = hx.map(elementsOf);
        const results = all("pt2::recurrent", {
          x: input,
          hx,
          weights,
          kind,
          hidden,
          biased,
          batch_first: batchFirst,
          bidirectional,
        });
        for (const [i, one] of expected.entries()) expectClose(results[i]!, one);
        expect(hx.map(elementsOf)).toEqual(before);
      },
    );
  });

  it("recurrent refuses what has no steps, and states and weights of other sizes", () => {
    const weights = [packed(random([6, 3])), packed(random([6, 2]))];
    const args = { kind: "gru", hidden: 2, biased: false, batch_first: true, bidirectional: false };
    const run = (x: Tensor, state: readonly number[], given: readonly Tensor[] = weights): readonly Tensor[] =>
      all("pt2::recurrent", { x, hx: [random(state)], weights: given, ...args });
    expect(run(random([4, 5, 3]), [1, 4, 2])[0]!.shape).toEqual([4, 5, 2]);
    expect(run(random([0, 5, 3]), [1, 0, 2])[0]!.shape).toEqual([0, 5, 2]);
    expect(() => run(random([4, 0, 3]), [1, 4, 2])).toThrow("larger than 0");
    expect(() => run(random([4, 5, 3]), [1, 5, 2])).toThrow("hx must have shape");
    expect(() => run(random([4, 5, 3]), [1, 4, 2], [random([6, 3]), weights[1]!])).toThrow("pack_linear_weight");
    expect(() => run(random([4, 5, 3]), [1, 4, 2], weights.slice(1))).toThrow("got 1 weights");
  });
});
