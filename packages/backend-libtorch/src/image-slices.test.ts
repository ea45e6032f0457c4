import { contiguousStrides } from "@pt2/format";
import { describe, expect, it } from "vitest";
import type { NativeArg, NativeTensor, NativeValue } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { random } from "./random.test-helper.ts";

const BATCH = 3;

/** Where the pixels of an image of five channels, seven rows and eleven columns lie in memory. */
const LAYOUTS: Readonly<Record<string, { shape: readonly number[]; strides: readonly number[]; offset: number }>> = {
  "one after the other": { shape: [BATCH, 37, 7, 11], strides: [37 * 77, 1, 11 * 37, 37], offset: 0 },
  "among other channels": { shape: [BATCH, 37, 7, 11], strides: [80 * 77, 1, 11 * 80, 80], offset: 19 },
  "a page apart": { shape: [BATCH, 37, 7, 11], strides: [1024 * 77, 1, 11 * 1024, 1024], offset: 900 },
  "one channel among others": { shape: [BATCH, 1, 7, 11], strides: [5 * 77, 1, 11 * 5, 5], offset: 3 },
  "some of their columns": { shape: [BATCH, 37, 7, 11], strides: [37 * 140, 1, 20 * 37, 37], offset: 37 },
  "every second row": { shape: [BATCH, 37, 7, 11], strides: [37 * 154, 1, 22 * 37, 37], offset: 0 },
  "the same image thrice": { shape: [BATCH, 37, 7, 11], strides: [0, 1, 11 * 40, 40], offset: 1 },
  "the same channel everywhere": { shape: [BATCH, 37, 7, 11], strides: [77, 0, 11, 1], offset: 0 },
  "the same pixel everywhere": { shape: [BATCH, 37, 7, 11], strides: [0, 1, 0, 0], offset: 2 },
  "pixels that overlap": { shape: [BATCH, 37, 7, 11], strides: [77 * 20, 1, 11 * 20, 20], offset: 0 },
  "channel by channel": { shape: [BATCH, 37, 7, 11], strides: [37 * 77, 77, 11, 1], offset: 0 },
  "one row": { shape: [BATCH, 37, 1, 11], strides: [80 * 11, 1, 4, 80], offset: 9 },
  "one column": { shape: [BATCH, 37, 7, 1], strides: [80 * 7, 1, 80, 1], offset: 9 },
  "one pixel": { shape: [BATCH, 37, 1, 1], strides: [80, 1, 1, 1], offset: 43 },
  nothing: { shape: [BATCH, 37, 0, 11], strides: [80, 1, 11, 3], offset: 0 },
};

describeWithLibtorch("images whose channels are some of a wider one's", ({ addon }) => {
  const tensor = (shape: readonly number[], strides: readonly number[], storageOffset = 0): NativeTensor => {
    const last = shape.reduce((at, size, dim) => at + Math.max(0, size - 1) * strides[dim]!, storageOffset);
    return addon.tensor(
      addon.storage(random([last + 1], 7).bytes),
      { dtype: "float32", shape, strides, storageOffset },
      "cpu",
    );
  };
  const call = (op: string, args: Readonly<Record<string, NativeArg["value"]>>): NativeTensor =>
    addon.callSync(
      op,
      Object.entries(args).map(([name, value]) => ({ name, value })),
    )[0] as NativeTensor;
  const given = (value: NativeTensor) => ({ kind: "tensor", tensor: value }) as const;
  const weight = (shape: readonly number[]) => given(tensor(shape, contiguousStrides(shape)));
  const int = (value: number) => ({ kind: "int", value }) as const;
  const ints = (...values: number[]) => ({ kind: "list", items: values.map(int) }) as const;
  const none = { kind: "none" } as const;
  const list = (...items: NativeTensor[]) => ({ kind: "list", items: items.map(given) }) as const;
  const plain = { attr: { kind: "string", value: "none" }, scalars: ints(), algorithm: none } as const;

  const OPS: Readonly<Record<string, (x: NativeTensor, channels: number) => NativeTensor>> = {
    winograd_conv2d: (x, channels) =>
      call("pt2::winograd_conv2d", {
        x: given(x),
        weight: given(call("pt2::pack_winograd_weight", { weight: weight([21, channels, 3, 3]) })),
        out_channels: int(21),
        bias: none,
        residual: none,
        padding: ints(1, 1),
        ...plain,
      }),
    direct_conv2d: (x, channels) =>
      call("pt2::direct_conv2d", {
        x: given(x),
        weight: given(
          call("pt2::pack_conv_weight", { weight: weight([21, channels * 9]), groups: int(1), width: none }),
        ),
        out_channels: int(21),
        kernel: ints(3, 3),
        bias: none,
        residual: none,
        stride: ints(1, 1),
        padding: ints(1, 1),
        dilation: ints(1, 1),
        groups: int(1),
        ...plain,
      }),
    conv1x1: (x, channels) =>
      call("pt2::conv1x1", {
        x: given(x),
        weight: given(call("pt2::pack_linear_weight", { weight: weight([21, channels]) })),
        out_channels: int(21),
        bias: none,
        residual: none,
        ...plain,
      }),
    preactivated_conv1x1: (x, channels) =>
      call("pt2::preactivated_conv1x1", {
        x: list(x),
        scale: weight([channels]),
        shift: weight([channels]),
        weight: given(call("pt2::pack_linear_weight", { weight: weight([21, channels]) })),
        out_channels: int(21),
        bias: none,
        ...plain,
      }),
    ...Object.fromEntries(
      [1, 2].map((dilation) => [
        `depthwise_conv2d, dilation ${dilation}`,
        (x: NativeTensor, channels: number) =>
          call("pt2::depthwise_conv2d", {
            x: given(x),
            weight: given(call("pt2::pack_depthwise_weight", { weight: weight([channels, 1, 3, 3]) })),
            bias: none,
            stride: ints(1, 1),
            padding: ints(dilation, dilation),
            dilation: ints(dilation, dilation),
            ...plain,
          }),
      ]),
    ),
    max_pool2d: (x) =>
      call("pt2::max_pool2d", {
        x: given(x),
        kernel: ints(3, 3),
        stride: ints(1, 1),
        padding: ints(1, 1),
        dilation: ints(1, 1),
        ceil_mode: { kind: "bool", value: false },
      }),
    avg_pool2d: (x) =>
      call("pt2::avg_pool2d", {
        x: given(x),
        kernel: ints(3, 3),
        stride: ints(1, 1),
        padding: ints(1, 1),
        ceil_mode: { kind: "bool", value: false },
        count_include_pad: { kind: "bool", value: true },
        divisor_override: none,
      }),
    group_norm: (x, channels) =>
      call("pt2::group_norm", {
        x: given(x),
        groups: int(channels),
        weight: weight([channels]),
        bias: none,
        eps: { kind: "float", value: 1e-5 },
      }),
    global_average_pool: (x) => call("pt2::global_average_pool", { x: given(x) }),
    "cat with itself": (x) => call("pt2::cat", { tensors: list(x, x), dim: int(1) }),
  };

  const outcome = (compute: () => NativeTensor): NativeValue | string => {
    try {
      return Buffer.from(compute().bytes()).toString("hex");
    } catch (error) {
      return (error as Error).message;
    }
  };

  describe.each(Object.entries(LAYOUTS))("%s", (_layout, { shape, strides, offset }) => {
    const x = tensor(shape, strides, offset);
    const copy = call("aten::clone", {
      self: given(x),
      memory_format: { kind: "memory_format", value: "channels_last" },
    });

    it.each(Object.entries(OPS))("%s computes as on a copy", (_name, op) => {
      const [expected, actual] = [copy, x].map((image) => outcome(() => op(image, shape[1]!)));
      expect(actual).toBe(expected);
    });
  });
});
