import { type HostTensor, hostTensor, type Tensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, it } from "vitest";
import type { NativeTensor } from "./addon.ts";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";
import { sumError } from "./sum-error.test-helper.ts";

/** Where sums are short: results are below 16, so this is 21 roundings, for approximations of `exp` and their like. */
const SHORT = 2e-5;

/**
 * The same for Winograd's F(4 x 4, 3 x 3). Its transforms blow numbers up and cancel them again: a row of Bᵀ has a squared
 * norm of up to 8, one of Aᵀ of 17. In float32, against sums in float64, the last output of a tile deviates by less than
 * 2e-7 per channel for numbers between -1 and 1; five times that.
 */
const winogradError = (channels: number): number => 5 * (2e-7 * channels);

describeWithLibtorch("the kernels of this package, against ATen's ops", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;

  /** A copy in channels-last order. */
  const pixelByPixel = (x: Tensor): Tensor =>
    one("pt2::max_pool2d", { x, kernel: [1, 1], stride: [1, 1], padding: [0, 0], dilation: [1, 1], ceil_mode: false });

  function expectClose(actual: Tensor, expected: Tensor, tolerance = SHORT): void {
    expect(actual.shape).toEqual(expected.shape);
    expect(worstError(elementsOf(actual), elementsOf(expected), ABSOLUTE)).toBeLessThan(tolerance);
  }

  describe.each([
    // channels, height, width, kernel, stride, padding, dilation
    [16, 14, 14, [3, 3], [1, 1], [1, 1], [1, 1]],
    [19, 23, 30, [3, 3], [2, 2], [1, 1], [1, 1]],
    [40, 9, 7, [5, 5], [1, 1], [2, 2], [1, 1]],
    [33, 15, 5, [5, 5], [2, 2], [2, 2], [1, 1]],
    [17, 8, 8, [7, 7], [1, 1], [3, 3], [1, 1]],
    // Tiles at both borders, with neighbors, and one that overlaps the one before.
    [35, 5, 23, [3, 3], [1, 1], [1, 1], [1, 1]],
    [16, 7, 44, [3, 3], [2, 2], [1, 1], [1, 1]],
    [48, 6, 17, [5, 5], [1, 1], [2, 2], [1, 1]],
    [37, 9, 36, [5, 5], [2, 2], [2, 2], [1, 1]],
    [32, 13, 21, [7, 7], [1, 1], [3, 3], [1, 1]],
    // Padding that is wider than the kernel, and none.
    [21, 2, 11, [3, 3], [1, 1], [4, 5], [1, 1]],
    [16, 3, 9, [3, 3], [1, 1], [0, 0], [1, 1]],
    [5, 1, 19, [5, 5], [2, 2], [2, 1], [1, 1]],
    [3, 17, 40, [2, 3], [3, 1], [0, 4], [2, 2]],
  ] as const)("depthwise_conv2d of %i channels at %i x %i, kernel %j", (c, h, w, kernel, stride, padding, dilation) => {
    const x = random([2, c, h, w]);
    const weight = random([c, 1, ...kernel], 2);
    const bias = random([c], 3);
    const packed = one("pt2::pack_depthwise_weight", { weight });
    const plain = one("aten::conv2d", { input: x, weight, bias, stride, padding, dilation, groups: c });

    it.each([
      ["none", "aten::alias", [], null],
      ["relu", "aten::relu", [], null],
      ["hardtanh", "aten::hardtanh", [-0.5, 0.25], null],
      ["leaky_relu", "aten::leaky_relu", [0.1], null],
      ["hardswish", "aten::hardswish", [], null],
      ["hardsigmoid", "aten::hardsigmoid", [], null],
      ["swish", "aten::silu", [], null],
      ["sigmoid", "aten::sigmoid", [], null],
      ["tanh", "aten::tanh", [], null],
      ["gelu", "aten::gelu", [], "none"],
    ] as const)("%s", (attr, op, scalars, algorithm) => {
      const args = { x, weight: packed, bias, stride, padding, dilation, attr, scalars, algorithm };
      expectClose(one("pt2::depthwise_conv2d", args), one(op, [plain, ...scalars]));
    });
  });

  it.each([
    [1, 1280, 10],
    [49, 67, 33],
    [29, 1024, 40],
    [50, 1500, 17],
    [13, 16, 100],
    // Weights that come a panel ahead.
    [5, 700, 300],
    [23, 1100, 150],
    [300, 90, 130],
  ])("linear of %i rows, %i to %i", (rows, inner, columns) => {
    const [x, weight, bias, residual] = [[rows, inner], [columns, inner], [columns], [rows, columns]].map((shape, i) =>
      random(shape, i),
    );
    const packed = one("pt2::pack_linear_weight", { weight: weight! });
    const common = { x: x!, weight: packed, out_features: columns, scalars: [] };
    const plain = one("aten::linear", [x!, weight!, bias!]);
    const gelu = one("pt2::linear", { ...common, bias: bias!, residual: null, attr: "gelu", algorithm: "tanh" });
    expectClose(gelu, one("aten::gelu", { self: plain, approximate: "tanh" }), SHORT + sumError(inner));
    const relu = one("pt2::linear", { ...common, bias: null, residual: residual!, attr: "relu", algorithm: null });
    const sum = one("aten::add.Tensor", [one("aten::linear", [x!, weight!]), residual!]);
    expectClose(relu, one("aten::relu", [sum]), SHORT + sumError(inner));
  });

  it.each([
    ["row by row", [70, 1]],
    ["column by column", [1, 37]],
    ["with gaps", [141, 2]],
  ])("a weight that lies %s is packed into panels", (_, [column, step]) => {
    const [columns, inner] = [37, 70];
    const { data } = random([columns * 141]);
    const storage = addon.storage(new Uint8Array(data.slice().buffer));
    const layout = { dtype: "float32", shape: [columns, inner], strides: [column!, step!], storageOffset: 0 } as const;
    const weight = addon.tensor(storage, layout, "cpu");
    const [packed] = addon.callSync("pt2::pack_linear_weight", [
      { name: "weight", value: { kind: "tensor", tensor: weight } },
    ]) as [NativeTensor];
    const [panels, rows, panel] = packed.shape as [number, number, number];
    expect([panels, rows]).toEqual([Math.ceil(columns / panel), inner]);
    const expected = Array.from({ length: panels * inner * panel }, (_, i) => {
      const [c, k] = [Math.floor(i / inner / panel) * panel + (i % panel), Math.floor(i / panel) % inner];
      return c < columns ? data[c * column! + k * step!] : 0;
    });
    expect([...new Float32Array(packed.bytes().slice().buffer)]).toEqual(expected);
  });

  it("conv1x1 gives the results of a convolution", () => {
    const [x, weight, residual] = [random([2, 24, 5, 7]), random([40, 24, 1, 1], 2), random([2, 40, 5, 7], 3)];
    const packed = one("pt2::pack_linear_weight", { weight: hostTensor("float32", [40, 24], weight.data) });
    const args = { x, weight: packed, out_channels: 40, bias: null, residual, attr: "none", scalars: [] };
    const plain = one("aten::conv2d", [x, weight]);
    expectClose(one("pt2::conv1x1", { ...args, algorithm: null }), one("aten::add.Tensor", [plain, residual]));
  });

  it.each([
    [24, 40, 5, 7],
    [1031, 19, 3, 5],
    [67, 131, 17, 2],
  ])("preactivated_conv1x1 of %i to %i channels at %i x %i", (c, n, h, w) => {
    const [x, weight, bias] = [random([2, c, h, w]), random([n, c], 2), random([n], 3)];
    const [scale, shift] = [random([c], 4), random([c], 5)];
    const sizes = [c, 1, 1];
    const scaled = one("aten::mul.Tensor", [x, one("aten::reshape", [scale, sizes])]);
    const shifted = one("aten::add.Tensor", [scaled, one("aten::reshape", [shift, sizes])]);
    const kernel = hostTensor("float32", [n, c, 1, 1], weight.data);
    const plain = one("aten::conv2d", [one("aten::relu", [shifted]), kernel, bias]);
    const packed = one("pt2::pack_linear_weight", { weight });
    const args = { x: [x], scale, shift, weight: packed, out_channels: n, bias, scalars: [], algorithm: null };
    const activated = one("pt2::preactivated_conv1x1", { ...args, attr: "relu" });
    expectClose(activated, one("aten::relu", [plain]), SHORT + sumError(c));
    const call = (changed: OpArgs): unknown => one("pt2::preactivated_conv1x1", { ...args, attr: "none", ...changed });
    expect(() => call({ scale: random([c + 1]) })).toThrow("scale must have shape");
    expect(() => call({ shift: random([c, 1]) })).toThrow("shift must have shape");
  });

  it.each([
    [[24, 17], 40, 5, 7, 1],
    [[1, 1, 1], 7, 3, 11, 2],
    [[700, 0, 600, 5], 19, 3, 5, 1],
    [[64, 128, 128, 128], 256, 14, 14, 1],
    [[32, 64, 32], 16, 40, 41, 2],
  ])(
    "preactivated_conv1x1 of %j to %i channels at %i x %i has the bits of one of the whole",
    (parts, n, h, w, batch) => {
      const c = parts.reduce((sum, channels) => sum + channels, 0);
      const images = parts.map((channels, i) => random([batch, channels, h, w], i));
      // Some of them lie pixel by pixel, as the results of convolutions do.
      const x = images.map((image, i) => (i % 2 === 0 ? pixelByPixel(image) : image));
      const [weight, bias, scale, shift] = [random([n, c], 12), random([n], 13), random([c], 14), random([c], 15)];
      const packed = one("pt2::pack_linear_weight", { weight });
      const rest = { scale, shift, weight: packed, out_channels: n, bias, attr: "relu", scalars: [], algorithm: null };
      const whole = one("aten::cat", { tensors: x, dim: 1 });
      const [joined, plain] = [x, [whole]].map((given) => one("pt2::preactivated_conv1x1", { x: given, ...rest }));
      expect(elementsOf(joined!)).toEqual(elementsOf(plain!));
    },
  );

  it("preactivated_conv1x1 refuses tensors that do not fit each other", () => {
    const weight = one("pt2::pack_linear_weight", { weight: random([4, 8]) });
    const [a, b, ones] = [random([1, 3, 4, 5]), random([1, 5, 4, 5]), random([8])];
    const args = { scale: ones, shift: ones, weight, out_channels: 4, bias: null, attr: "none", scalars: [] };
    const call = (x: readonly HostTensor[]): unknown =>
      one("pt2::preactivated_conv1x1", { x, ...args, algorithm: null });
    expect(() => call([a, b])).not.toThrow();
    expect(() => call([])).toThrow("x have a tensor");
    expect(() => call([a, random([1, 5, 4, 6])])).toThrow("one shape but for their channels");
    expect(() => call([a, random([1, 5, 4])])).toThrow("one shape but for their channels");
    expect(() => call([a, a])).toThrow("scale must have shape");
  });

  it("preactivated_conv1x1 keeps NaN", () => {
    const x = hostTensor("float32", [1, 2, 1, 2], new Float32Array([Number.NaN, 1, 1, 1]));
    const ones = hostTensor("float32", [2], new Float32Array([1, 1]));
    const weight = one("pt2::pack_linear_weight", { weight: hostTensor("float32", [1, 2], new Float32Array([1, 1])) });
    const args = { x: [x], scale: ones, shift: ones, weight, out_channels: 1, bias: null, attr: "none", scalars: [] };
    expect([...elementsOf(one("pt2::preactivated_conv1x1", { ...args, algorithm: null }))]).toEqual([Number.NaN, 4]);
  });

  it.each([
    [16, 20, 14, 14, [1, 1]],
    [33, 40, 7, 10, [0, 2]],
    [3, 5, 3, 3, [0, 0]],
  ])("winograd_conv2d of %i to %i channels at %i x %i, padding %j", (c, n, h, w, padding) => {
    const [x, weight, bias] = [random([2, c, h, w]), random([n, c, 3, 3], 2), random([n], 3)];
    const packed = one("pt2::pack_winograd_weight", { weight });
    const plain = one("aten::conv2d", { input: x, weight, bias, padding });
    const args = { x, weight: packed, out_channels: n, bias, padding, scalars: [], algorithm: null };
    const silu = one("pt2::winograd_conv2d", { ...args, residual: null, attr: "silu" });
    expectClose(silu, one("aten::silu", [plain]), SHORT + winogradError(c));
    const residual = random(plain.shape, 4);
    const relu = one("pt2::winograd_conv2d", { ...args, residual, attr: "relu" });
    expectClose(relu, one("aten::relu", [one("aten::add.Tensor", [plain, residual])]), SHORT + winogradError(c));
  });

  it.each([
    [64, 12, 12, [3, 3], [2, 2], [1, 1], [1, 1], false],
    [19, 11, 14, [2, 3], [2, 2], [1, 0], [1, 2], true],
    [5, 7, 7, [3, 3], [3, 3], [1, 1], [1, 1], true],
    // Windows that are larger than the image.
    [7, 4, 5, [7, 7], [7, 7], [0, 0], [1, 1], true],
    [20, 4, 5, [3, 5], [2, 3], [0, 0], [2, 1], true],
  ] as const)("max_pool2d of %i channels at %i x %i, kernel %j", (c, h, w, kernel, stride, padding, dilation, ceil) => {
    const x = random([2, c, h, w]);
    const expected = one("aten::max_pool2d", [x, kernel, stride, padding, dilation, ceil]);
    const args = { x, kernel, stride, padding, dilation, ceil_mode: ceil };
    expectClose(one("pt2::max_pool2d", args), expected, 1e-30);
    expectClose(one("pt2::global_average_pool", { x }), one("aten::mean.dim", [x, [2, 3], true]));
  });

  it.each([
    // channels, height, width, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override
    [64, 12, 12, [3, 3], [1, 1], [1, 1], false, true, null],
    [26, 13, 17, [3, 3], [2, 2], [1, 1], false, false, null],
    [67, 11, 14, [2, 3], [2, 2], [1, 0], true, true, null],
    [5, 7, 7, [3, 3], [3, 3], [1, 1], true, false, null],
    [33, 7, 7, [2, 2], [2, 2], [0, 0], true, true, null],
    [19, 5, 9, [3, 2], [2, 1], [1, 1], true, true, 7],
    [19, 5, 9, [3, 2], [2, 1], [1, 1], false, false, -3],
    [7, 4, 5, [7, 7], [7, 7], [0, 0], true, true, null],
    [18, 4, 5, [5, 7], [2, 3], [0, 0], true, false, null],
  ] as const)("avg_pool2d of %i channels at %i x %i, kernel %j", (c, h, w, kernel, stride, padding, ceil, all, by) => {
    const x = random([2, c, h, w]);
    const args = { ceil_mode: ceil, count_include_pad: all, divisor_override: by };
    const expected = one("aten::avg_pool2d", { self: x, kernel_size: kernel, stride, padding, ...args });
    expectClose(one("pt2::avg_pool2d", { x, kernel, stride, padding, ...args }), expected, 1e-6);
  });

  it("pooling refuses images without pixels, as ATen does, and to divide by zero", () => {
    const windows = { kernel: [3, 3], stride: [3, 3], padding: [1, 1], ceil_mode: false };
    const means = { ...windows, count_include_pad: false, divisor_override: null };
    const x = random([1, 5, 0, 4]);
    expect(() => one("pt2::max_pool2d", { x, ...windows, dilation: [1, 1] })).toThrow("must have channels and pixels");
    expect(() => one("pt2::avg_pool2d", { x, ...means })).toThrow("must have channels and pixels");
    const some = { x: random([1, 5, 4, 4]), ...means, divisor_override: 0 };
    expect(() => one("pt2::avg_pool2d", some)).toThrow("must not be zero");
    const large = { x: random([1, 5, 4, 4]), ...means, kernel: [7, 7], padding: [0, 0] };
    expect(() => one("pt2::avg_pool2d", large)).toThrow("a kernel that spans 7 does not fit an input of 4");
    const none = one("pt2::avg_pool2d", { x: random([0, 5, 4, 4]), ...means });
    expect(none.shape).toEqual([0, 5, 2, 2]);
  });

  describe.each([true, false])("topk with largest %s gives ATen's values and indices", (largest) => {
    const both = (name: string, args: OpArgs): unknown =>
      torch.callSync(name as "aten::topk", args).map((part) => [(part as Tensor).shape, elementsOf(part as Tensor)]);

    it.each([
      ["the last dimension of three", [3, 5, 257], 31, -1],
      ["the middle one", [3, 257, 5], 31, 1],
      ["the first one", [131, 2, 3], 131, 0],
      ["one row, in parts", [1, 40_961], 500, 1],
      ["many rows, on several threads", [700, 61], 7, 1],
      ["no elements chosen", [3, 5], 0, 1],
      ["no rows", [0, 5], 2, 1],
    ] as const)("%s", (_, shape, k, dim) => {
      const self = random(shape);
      expect(both("pt2::topk", { self, k, dim, largest })).toEqual(both("aten::topk", { self, k, dim, largest }));
    });

    it("strides, and numbers that are a scalar", () => {
      const self = one("aten::slice.Tensor", { self: one("aten::t", [random([301, 14])]), dim: 1, start: 5, step: 3 });
      for (const [dim, k] of [
        [0, 4],
        [1, 20],
      ]) {
        expect(both("pt2::topk", { self, k, dim, largest })).toEqual(both("aten::topk", { self, k, dim, largest }));
      }
      const scalar = { self: floats([], 5), k: 1, largest };
      expect(both("pt2::topk", scalar)).toEqual(both("aten::topk", scalar));
    });

    it("equal elements, both zeros and NaN", () => {
      const special = [0, Number.NaN, -0, 3, -Infinity, 3, Infinity, Number.NaN, -3, 1e-42, -1e-42, 7];
      for (const k of special.keys()) {
        const args = { self: floats([2, 12], ...special, ...(random([12]).data as Float32Array)), k, largest };
        expect(both("pt2::topk", args)).toEqual(both("aten::topk", args));
      }
      const coarse = floats([2, 2000], ...Array.from(random([4000]).data as Float32Array, (x) => Math.round(40 * x)));
      expect(both("pt2::topk", { self: coarse, k: 300, largest })).toEqual(
        both("aten::topk", { self: coarse, k: 300, largest }),
      );
    });
  });

  it("global_average_pool of many positive pixels is as exact as that of few", () => {
    const x = one("aten::add.Scalar", [random([1, 21, 112, 109]), 3]);
    const exact = one("aten::mean.dim", [one("aten::to.dtype", [x, "float64"]), [2, 3], true]);
    // Ten roundings of numbers below four; one sum of them all is off by more than twenty.
    expectClose(one("pt2::global_average_pool", { x }), exact, 10 * 2 ** -23);
  });

  it("squeeze_excite gives the results of the ops that it replaces", () => {
    const [x, w1, w2, b1, b2] = [[2, 37, 6, 5], [9, 37], [37, 9], [9], [37]].map((shape, i) => random(shape, i));
    const mean = one("aten::mean.dim", [x!, [2, 3]]);
    const hidden = one("aten::silu", [one("aten::linear", [mean, w1!, b1!])]);
    const gate = one("aten::sigmoid", [one("aten::linear", [hidden, w2!, b2!])]);
    const expected = one("aten::mul.Tensor", [x!, one("aten::reshape", [gate, [2, 37, 1, 1]])]);
    const expand = one("aten::t", [w2!]);
    const args = { x: x!, reduce: w1!, reduce_bias: b1!, expand, expand_bias: b2!, attr: "swish", gate: "sigmoid" };
    expectClose(one("pt2::squeeze_excite", args), expected);
  });

  it.each([1, 7, 96, 770])("layer_norm and add_layer_norm of rows of %i", (width) => {
    const [x, other, weight, bias] = [[3, 5, width], [3, 5, width], [width], [width]].map((shape, i) =>
      random(shape, i),
    );
    const rest = [[width], weight!, bias!, 1e-5] as const;
    const args = { x: x!, weight: weight!, bias: bias!, eps: 1e-5 };
    expectClose(one("pt2::layer_norm", args), one("aten::layer_norm", [x!, ...rest]));
    const sum = one("aten::add.Tensor", [x!, other!]);
    const both = torch.callSync("pt2::add_layer_norm", { ...args, other: other! }) as readonly Tensor[];
    expectClose(both[0]!, sum);
    expectClose(both[1]!, one("aten::layer_norm", [sum, ...rest]));
  });

  it("empty tensors, infinities and NaN come out as from ATen", () => {
    const linear = (x: HostTensor, weight: HostTensor): readonly (number | bigint)[] => {
      const packed = one("pt2::pack_linear_weight", { weight });
      const args = { x, weight: packed, out_features: weight.shape[0]!, bias: null, residual: null, scalars: [] };
      return elementsOf(one("pt2::linear", { ...args, attr: "relu", algorithm: null }));
    };
    expect(linear(floats([0, 2]), floats([3, 2], 1, 2, 3, 4, 5, 6))).toEqual([]);
    expect(linear(floats([2, 0]), floats([1, 0]))).toEqual([0, 0]);
    expect(linear(floats([3, 1], Number.NaN, -1, Infinity), floats([1, 1], 2))).toEqual([Number.NaN, 0, Infinity]);
  });

  it("tensors that do not fit are refused before memory is read", () => {
    const x = random([1, 4, 5, 5]);
    const pair = [1, 1];
    const conv = { x, bias: null, stride: pair, padding: pair, dilation: pair, scalars: [], algorithm: null };
    const refused = expect.objectContaining({ code: "libtorch.op-failed" });
    const weight = random([1, 3, 3, 16]);
    const failing: readonly (readonly [string, OpArgs])[] = [
      ["pt2::depthwise_conv2d", { ...conv, weight: random([3, 3, 4]), attr: "none" }],
      ["pt2::depthwise_conv2d", { ...conv, weight: random([2, 3, 3, 16]), attr: "none" }],
      ["pt2::depthwise_conv2d", { ...conv, weight: random([1, 3, 3, 8]), attr: "none" }],
      ["pt2::depthwise_conv2d", { ...conv, weight, attr: "nonsense" }],
      ["pt2::depthwise_conv2d", { ...conv, weight, attr: "hardtanh" }],
      ["pt2::depthwise_conv2d", { ...conv, weight, attr: "none", stride: [0, 1] }],
      ["pt2::depthwise_conv2d", { ...conv, weight, attr: "none", bias: random([5]) }],
      ["pt2::linear", [x, weight, 3, null, null, "none", [], null]],
      ["pt2::attention", [x, random([1, 4, 5, 6]), x, null, false, null, true, false]],
      ["pt2::attention", [x, random([1, 3, 5, 5]), random([1, 3, 5, 5]), null, false, null, true, false]],
      ["pt2::attention", [x, random([1, 0, 5, 5]), random([1, 0, 5, 5]), null, false, null, true, false]],
      ["pt2::attention", [x, random([1, 2, 5, 5]), x, null, false, null, true, false]],
      ["pt2::layer_norm", [x, random([4]), null, 1e-5]],
      ["pt2::pointwise", [[], [], [], [], []]],
      ["pt2::pointwise", [[x], [], [], [], []]],
      ["pt2::pointwise", [[x], [], [1, 1, 0, 0], [1], []]],
      ["pt2::pointwise", [[x], [], [99, 1, 0, 0, 0], [1], []]],
      ["pt2::pointwise", [[x], [], [1, 64, 0, 0, 0], [64], []]],
      ["pt2::pointwise", [[x], [], [1, 0, 0, 0, 0], [0], []]],
      ["pt2::pointwise", [[x], [], [1, 1, 2, 0, 0], [1], []]],
      ["pt2::pointwise", [[x], [], [1, 1, 0, 0, 0], [2], []]],
      ["pt2::pointwise", [[x], [], [1, 1, 0, 0, 0], [1], [1]]],
      ["pt2::pointwise", [[x, random([3, 5])], [], [7, 2, 0, 1, 0], [2], []]],
      [
        "pt2::pointwise",
        [[floats([2], 1, 2), hostTensor("int64", [1], BigInt64Array.of(1n))], [], [7, 2, 0, 1, 0], [2], []],
      ],
      ["pt2::pointwise", [[x], Array(64).fill(1), [1, 63, 0, 0, 0], [63], []]],
    ];
    for (const [name, args] of failing) expect(() => one(name, args)).toThrow(refused);
  });

  it("pointwise_ writes its results over its inputs, pass by pass, or nothing at all", async () => {
    const owned = async (...values: number[]): Promise<Tensor> =>
      (await torch.call("aten::clone", { self: floats([values.length], ...values) }))[0] as Tensor;
    const [a, b] = [await owned(1, 2, 3), await owned(10, 20, 30)];
    // a = a + a * 2, which reads a again after it has a new value; b = a + b, of the new a.
    const code = [7, 2, 0, 0, 0, 9, 3, 2, 1, 0, 8, 2, 3, 0, 0, 7, 3, 2, 0, 0, ...[7, 2, 0, 1, 0]];
    const passes = { constants: [1], code, results: [3, 2], counts: [1, 1, 20, 1, 2, 0, 5, 1] };
    torch.callSync("pt2::pointwise_", { out: [a, b], inputs: [a, a, b], ...passes });
    expect([elementsOf(a), elementsOf(b)]).toEqual([
      [2, 4, 6],
      [12, 24, 36],
    ]);
    const short = await owned(1, 2);
    const failing: readonly OpArgs[] = [
      { out: [a, short], inputs: [a, a, b], ...passes },
      { out: [a, b], inputs: [a, a, short], ...passes },
      { out: [a], inputs: [a, a, b], ...passes },
      { out: [a, b], inputs: [a, a], ...passes },
      { out: [a, b], inputs: [a, a, b], ...passes, code: code.slice(5) },
      { out: [a, b], inputs: [a, a, b], ...passes, counts: [1, 1, 20, 1, 2, 0, 5] },
      { out: [a, b], inputs: [a, a, b], ...passes, counts: [1, 1, 20, 1, 2, 0, 5, -1] },
      { out: [a, b], inputs: [a, a, b], ...passes, counts: [1, 1, 20, 1, 2, 0, 5, 0] },
    ];
    for (const args of failing) {
      expect(() => torch.callSync("pt2::pointwise_", args)).toThrow(
        expect.objectContaining({ code: "libtorch.op-failed" }),
      );
      expect(elementsOf(a)).toEqual([2, 4, 6]);
    }
  });
});
